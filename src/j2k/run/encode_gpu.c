/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000's code-blocks on the context's GPU: what the CPU's threads would make of them, to the bit. */
#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "j2k/cpu/blocks/block_measure.h"
#include "j2k/cpu/encode_tile.h"
#include "j2k/run/encode.h"
#include "j2k/syntax/geometry.h"

/* A picture while its blocks are coded. */
struct round {
    struct j2k_encode_work *work;
    struct j2k_encode_job job;
    bool begun;
    struct j2k_encode_tile *tile;
    struct j2k_block_order *order;
    const struct j2k_block_outcome *outcome; /* of each order */
    const struct j2k_block_gains *measured;  /* or this */
    uint32_t count;                          /* of orders */
    struct j2k_gains *gains;
};

enum { TAKEN_TOGETHER = 1024 /* blocks, by a thread */ };

/* All of them. */
struct rounds {
    struct j2k_encode_group *group;
    struct round *round;
    uint32_t count;
    struct j2k_block_order *order;
    struct j2k_block_outcome *outcome;
    struct j2k_block_gains *measured;
};

/* Which component each of the image's samples belongs to, in the order of memory. */
void kst_j2k_gpu_describe(const struct j2k_encode_work *work, struct j2k_encode_item *item)
{
    const struct encoding *e = work->e;
    const struct pixel_layout *layout = kst_pixel_layout(work->image->format);
    *item = (struct j2k_encode_item){
        .picture = {.plan = &work->coded.plan, .output = *work->image, .channels = work->component_count},
        .image = work->image,
        .source = e->source,
        .planes = e->planes,
        .measured = 0};
    if (work->source.measure)
        item->measured = J2K_MEASURED_GAINS | (work->source.error > 0 ? J2K_MEASURED_ERRORS : 0);
    for (uint32_t k = 0; k < item->picture.channels && k < J2K_WORK_CHANNELS; k++)
        item->picture.channel[k].component = kst_pixel_place(layout, k);
    item->picture.image = e->planes;
    item->picture.in_place = e->source == GPU_SOURCE_DIRECT && work->image->memory == KST_MEMORY_CUDA;
}

bool kst_j2k_gpu_encodes(const struct j2k_encode_work *work)
{
    const struct encoding *e = work->e;
    const struct j2k_plan *plan = &work->coded.plan;
    if (!e->gpu || e->rows || !kst_gpu_j2k_encodes(work->image))
        return false;
    uint64_t bytes = kst_gpu_j2k_encode_memory(plan), device = e->gpu->gpu->info.memory;
    return bytes <= e->context->limits.memory && bytes <= J2K_GPU_ENCODE_MEMORY_MAX && (device == 0 || bytes <= device);
}

kst_status kst_j2k_gpu_fail(const struct j2k_encode_work *work, const struct gpu_error *error)
{
    return kst_report_error(&work->e->report, error->status, KST_NO_OFFSET, error->text[0] ? "%s" : NULL, error->text);
}

static uint32_t clipped(uint32_t value, uint32_t from, uint32_t size)
{
    return value < from ? 0 : value - from < size ? value - from : size;
}

struct j2k_rect kst_j2k_gpu_region(const struct j2k_encode_job *job, uint32_t index)
{
    const struct j2k_plan *plan = &job->coded->plan;
    const struct j2k_block *block = &plan->block[index];
    const struct j2k_band *band = &plan->band[block->band];
    if (plan->tile_component[band->tile_component].roi_shift == 0 || j2k_is_empty(job->source->region))
        return (struct j2k_rect){0, 0, 0, 0};
    struct j2k_rect region = kst_j2k_region_in_band(job, band);
    return (struct j2k_rect){clipped(region.x0, block->x, block->width), clipped(region.y0, block->y, block->height),
        clipped(region.x1, block->x, block->width), clipped(region.y1, block->y, block->height)};
}

/* The tile's blocks, or those of the sample. */
static void order_blocks(struct round *round, const struct j2k_encode_tile *tile, enum j2k_choice choice)
{
    const struct j2k_plan *plan = &round->work->coded.plan;
    uint32_t band = UINT32_MAX;
    float stop = 0;
    for (uint32_t b = tile->first_block; b < tile->first_block + tile->block_count; b++) {
        if (choice == J2K_SAMPLE_BLOCKS && !kst_j2k_is_sampled(tile, b))
            continue;
        if (plan->block[b].band != band) {
            band = plan->block[b].band;
            stop = kst_j2k_block_stop(tile, band);
        }
        round->order[round->count++] = (struct j2k_block_order){
            .item = round->work->member, .block = b, .stop = stop, .region = kst_j2k_gpu_region(&round->job, b)};
    }
}

/* In squares of half steps. */
static double pass_gain(const struct j2k_block_outcome *outcome, uint32_t pass)
{
    uint32_t plane = outcome->planes - 1 - (pass + 2) / 3;
    int64_t gain = j2k_gpu_gain(&outcome->pass[J2K_PASS_RESULT * pass + 1]);
    return (double)gain * j2k_measure_plane(plane, false).unit;
}

void kst_j2k_gpu_take_passes(const struct j2k_block_outcome *outcome, struct j2k_pass *pass)
{
    for (uint32_t i = 0; i < outcome->passes; i++)
        pass[i] = (struct j2k_pass){.length = outcome->pass[J2K_PASS_RESULT * i], .gain = pass_gain(outcome, i)};
}

void kst_j2k_gpu_take(struct j2k_encode_job *job, uint32_t block, const struct j2k_block_outcome *outcome)
{
    struct j2k_block_code *coded = &job->coded->block[block];
    struct j2k_block_result *result = &job->result[block];
    *result =
        (struct j2k_block_result){.planes = (uint8_t)outcome->planes, .error = j2k_quantiser_error(outcome->error)};
    coded->data = outcome->passes > 0 ? outcome->data : NULL;
    coded->passes = (uint8_t)outcome->passes;
    if (outcome->passes == 0)
        return;
    uint32_t last = outcome->planes - 1 - (outcome->passes + 1) / 3;
    result->error += ldexp((double)outcome->left, 2 * (int)j2k_gpu_left_shift(last)) / 4;
}

/* Its passes go where those of all blocks are to be. */
static void take_outcome(struct round *round, uint32_t index)
{
    struct j2k_encode_job *job = &round->job;
    const struct j2k_block_outcome *outcome = &round->outcome[index];
    uint32_t block = round->order[index].block, first = job->coded->block[block].first_pass;
    kst_j2k_gpu_take(job, block, outcome);
    for (uint32_t i = 0; i < outcome->passes; i++)
        job->encoded->pass_length[first + i] = outcome->pass[J2K_PASS_RESULT * i];
    if (!job->source->measure)
        return;
    double unit = kst_j2k_encode_unit(job, block);
    for (uint32_t i = 0; i < outcome->passes; i++)
        job->encoded->pass_gain[first + i] = pass_gain(outcome, i) * unit;
}

static void take_slice(void *argument, uint32_t index)
{
    struct round *round = argument;
    uint32_t first = index * TAKEN_TOGETHER, left = round->count - first;
    for (uint32_t i = first; i < first + (left < TAKEN_TOGETHER ? left : TAKEN_TOGETHER); i++)
        take_outcome(round, i);
}

/* Errors are the picture's, and end its part in this. */
static void stop_round(struct round *round, kst_status status)
{
    if (status && !round->work->status)
        round->work->status = status;
    round->count = 0;
}

static bool goes_on(struct round *round)
{
    return round->begun && !round->work->status && kst_j2k_encode_goes_on(&round->job);
}

/* The sample of those tiles that look at one. */
static void begin_round(void *argument, uint32_t index)
{
    struct round *round = &((struct rounds *)argument)->round[index];
    const struct j2k_encode_work *work = round->work;
    uint32_t tiles = work->coded.plan.tile_count;
    kst_status status = kst_j2k_encode_start(&round->job, &work->e->report);
    round->begun = !status;
    if (status) {
        stop_round(round, status);
        return;
    }
    round->tile = kst_j2k_encode_take(&round->job, tiles, sizeof *round->tile);
    round->order = kst_j2k_encode_take(&round->job, work->coded.plan.block_count, sizeof *round->order);
    for (uint32_t t = 0; t < tiles && goes_on(round); t++) {
        struct j2k_encode_tile *tile = &round->tile[t];
        kst_j2k_encode_find_tile(&round->job, t, tile);
        kst_j2k_encode_given_stop(tile);
        if (kst_j2k_encode_samples_first(tile))
            order_blocks(round, tile, J2K_SAMPLE_BLOCKS);
    }
}

void kst_j2k_gpu_take_gains(
    struct j2k_encode_job *job, uint32_t block, const struct j2k_block_gains *measured, struct j2k_gains *gains)
{
    const struct j2k_gpu_gains *from = measured->plane;
    job->result[block] = (struct j2k_block_result){
        .planes = (uint8_t)measured->planes, .error = j2k_quantiser_error(measured->error), .plane = gains};
    for (uint32_t p = 0; p < measured->planes; p++)
        gains[p] = (struct j2k_gains){.significance = j2k_gpu_gain(from[p].significance),
            .refinement = j2k_gpu_gain(from[p].refinement),
            .significant = from[p].significant};
    for (uint32_t p = measured->planes, before = 0; p-- > 0; before += gains[p].significant)
        gains[p].refined = before;
}

static void take_gains(struct round *round)
{
    size_t planes = 0;
    for (uint32_t i = 0; i < round->count; i++)
        planes += round->measured[i].planes;
    struct j2k_gains *gains = round->gains = kst_j2k_encode_take(&round->job, planes, sizeof *gains);
    for (uint32_t i = 0; i < round->count && gains; i++) {
        kst_j2k_gpu_take_gains(&round->job, round->order[i].block, &round->measured[i], gains);
        gains += round->measured[i].planes;
    }
}

/* All blocks, each as far as the sample says. */
static void order_all(void *argument, uint32_t index)
{
    struct round *round = &((struct rounds *)argument)->round[index];
    if (goes_on(round) && round->count > 0)
        take_gains(round);
    round->count = 0;
    for (uint32_t t = 0; t < round->work->coded.plan.tile_count && goes_on(round); t++) {
        struct j2k_encode_tile *tile = &round->tile[t];
        if (kst_j2k_encode_samples_first(tile))
            kst_j2k_encode_set_stop(tile);
        order_blocks(round, tile, J2K_ALL_BLOCKS);
    }
}

static void take_outcomes(void *argument, uint32_t index)
{
    const struct rounds *rounds = argument;
    struct round *round = &rounds->round[index];
    uint32_t count = round->count;
    uint64_t passes = 0;
    if (!goes_on(round))
        return;
    for (uint32_t i = 0; i < count; passes += round->outcome[i++].passes)
        round->job.coded->block[round->order[i].block].first_pass = (uint32_t)passes;
    if (kst_j2k_encode_take_passes(&round->job, passes))
        kst_pool_run(round->job.pool, (count + TAKEN_TOGETHER - 1) / TAKEN_TOGETHER, take_slice, round);
    kst_j2k_encode_count(&round->job, count);
}

static void fail_all(struct rounds *rounds, const struct gpu_error *error)
{
    for (uint32_t i = 0; i < rounds->count; i++)
        if (!rounds->round[i].work->status)
            stop_round(&rounds->round[i], kst_j2k_gpu_fail(rounds->round[i].work, error));
}

/* What is ordered of all pictures in a row. Returns how much that is. */
static uint32_t join_orders(struct rounds *rounds)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rounds->count; i++) {
        struct round *round = &rounds->round[i];
        if (!goes_on(round))
            round->count = 0;
        if (round->count > 0)
            memcpy(rounds->order + count, round->order, round->count * sizeof *round->order);
        round->outcome = rounds->outcome + count;
        round->measured = rounds->measured + count;
        count += round->count;
    }
    return count;
}

/* Look at samples, then code all, and take what comes of it. */
static void run_orders(struct rounds *rounds)
{
    struct pool *pool = rounds->group->context->pool;
    struct j2k_coding_job *job = rounds->group->job;
    struct gpu_error error;
    uint32_t count = join_orders(rounds);
    if (count > 0 && !kst_gpu_j2k_measure_blocks(job, rounds->order, count, rounds->measured, &error)) {
        fail_all(rounds, &error);
        return;
    }
    kst_pool_run(pool, rounds->count, order_all, rounds);
    count = join_orders(rounds);
    if (count > 0 && kst_gpu_j2k_encode_blocks(job, rounds->order, count, rounds->outcome, &error))
        kst_pool_run(pool, rounds->count, take_outcomes, rounds);
    else if (count > 0)
        fail_all(rounds, &error);
}

static void end_round(void *argument, uint32_t index)
{
    struct round *round = &((struct rounds *)argument)->round[index];
    struct memory *memory = &round->work->e->memory;
    if (round->begun) {
        if (round->work->status)
            atomic_store(&round->job.status, (int)round->work->status);
        kst_status status = kst_j2k_encode_finish(&round->job, &round->work->e->report);
        stop_round(round, status);
    }
    kst_memory_release(memory, round->gains);
    kst_memory_release(memory, round->tile);
    kst_memory_release(memory, round->order);
}

static struct round round_of(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    return (struct round){.work = work,
        .job = {.memory = &e->memory,
            .pool = e->context->pool,
            .coded = &work->coded,
            .source = &work->source,
            .encoded = &work->encoded}};
}

static void run_rounds(struct j2k_encode_group *group, struct j2k_encode_work *const *work, uint32_t count)
{
    struct memory *memory = &group->context->memory;
    struct gpu_error error = {.status = KST_OK};
    struct rounds rounds = {.group = group, .count = count};
    size_t blocks = 0;
    for (uint32_t i = 0; i < count; i++)
        blocks += work[i]->coded.plan.block_count;
    rounds.round = kst_memory_array(memory, count, sizeof *rounds.round, &error.status);
    rounds.order = kst_memory_array(memory, blocks, sizeof *rounds.order, &error.status);
    rounds.outcome = kst_memory_array(memory, blocks, sizeof *rounds.outcome, &error.status);
    rounds.measured = kst_memory_array(memory, blocks, sizeof *rounds.measured, &error.status);
    if (error.status) {
        for (uint32_t i = 0; i < count; i++)
            work[i]->status = kst_j2k_gpu_fail(work[i], &error);
    } else {
        for (uint32_t i = 0; i < count; i++)
            rounds.round[i] = round_of(work[i]);
        kst_pool_run(group->context->pool, count, begin_round, &rounds);
        run_orders(&rounds);
        kst_pool_run(group->context->pool, count, end_round, &rounds);
    }
    kst_memory_release(memory, rounds.round);
    kst_memory_release(memory, rounds.order);
    kst_memory_release(memory, rounds.outcome);
    kst_memory_release(memory, rounds.measured);
}

static bool begin_job(struct j2k_encode_group *group, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    group->item = kst_memory_zeroed(&group->context->memory, group->count, sizeof *group->item, &error->status);
    for (uint32_t i = 0; i < group->count && group->item; i++)
        kst_j2k_gpu_describe(group->work[i], &group->item[i]);
    if (group->item)
        group->job = kst_gpu_j2k_encode_begin(group->gpu, group->item, group->count, group->work[0]->e->after, error);
    return group->job;
}

void kst_j2k_encode_group_code(struct j2k_encode_group *group, struct j2k_encode_work **work, uint32_t count)
{
    struct gpu_error error;
    *group =
        (struct j2k_encode_group){.context = work[0]->e->context, .gpu = work[0]->e->gpu, .work = work, .count = count};
    pthread_mutex_init(&group->coding, NULL);
    for (uint32_t i = 0; i < count; i++) {
        work[i]->group = group;
        work[i]->member = i;
        work[i]->status = KST_OK;
    }
    if (begin_job(group, &error))
        run_rounds(group, work, count);
    else
        for (uint32_t i = 0; i < count; i++)
            work[i]->status = kst_j2k_gpu_fail(work[i], &error);
}

kst_status kst_j2k_encode_group_again(struct j2k_encode_work *work)
{
    struct j2k_encode_group *group = work->group;
    pthread_mutex_lock(&group->coding);
    run_rounds(group, &work, 1);
    pthread_mutex_unlock(&group->coding);
    return work->status;
}

kst_status kst_j2k_encode_group_arrive(struct j2k_encode_work *work)
{
    struct j2k_encode_group *group = work->group;
    struct gpu_error error = {.status = KST_OK};
    if (!group)
        return KST_OK;
    pthread_mutex_lock(&group->coding);
    bool arrived = kst_gpu_j2k_encode_arrive(group->job, &error);
    pthread_mutex_unlock(&group->coding);
    return arrived ? KST_OK : kst_j2k_gpu_fail(work, &error);
}

void kst_j2k_encode_group_end(struct j2k_encode_group *group)
{
    kst_gpu_j2k_encode_end(group->job);
    kst_memory_release(&group->context->memory, group->item);
    pthread_mutex_destroy(&group->coding);
}

void kst_j2k_gpu_report_times(
    struct j2k_encode_work *work, const struct gpu *gpu, const struct j2k_encode_times *times, double share)
{
    kst_report *report = &work->e->report;
    const double seconds[KST_STAGE_COUNT] = {[KST_STAGE_UPLOAD] = times->upload,
        [KST_STAGE_PIXELS] = times->transform,
        [KST_STAGE_ENTROPY] = times->blocks,
        [KST_STAGE_DOWNLOAD] = times->download};
    static const kst_stage stages[] = {KST_STAGE_UPLOAD, KST_STAGE_PIXELS, KST_STAGE_ENTROPY, KST_STAGE_DOWNLOAD};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        report->stage_device[stages[i]] = gpu->info.kind;
        report->stage_seconds[stages[i]] += seconds[stages[i]] * share;
    }
    memcpy(report->device, gpu->info.name, sizeof report->device);
}

/* Pictures that were coded together share their times. */
void kst_j2k_gpu_report_encoding(struct j2k_encode_work *work)
{
    struct j2k_encode_group *group = work->group;
    if (!group->job)
        return;
    pthread_mutex_lock(&group->coding);
    struct j2k_encode_times times = kst_gpu_j2k_encode_times(group->job);
    pthread_mutex_unlock(&group->coding);
    kst_j2k_gpu_report_times(work, group->gpu->gpu, &times, 1.0 / group->count);
}
