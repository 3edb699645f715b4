/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000's code-blocks on the context's GPU: what the CPU's threads would make of them, to the bit. */
#include <math.h>
#include <string.h>

#include "api/j2k_encode.h"
#include "core/report.h"
#include "cpu/j2k_encode_tile.h"
#include "image/format.h"
#include "j2k/geometry.h"

/* One round of coding. */
struct round {
    struct j2k_encode_work *work;
    struct j2k_encode_job job;
    struct j2k_encode_tile *tile;
    struct j2k_block_order *order;
    struct j2k_block_outcome *outcome;
    uint32_t count;           /* of orders */
    struct j2k_pass *pass[2]; /* of the first and the other blocks */
};

/* Which component each of the image's samples belongs to, in the order of memory. */
static void describe_image(const struct j2k_encode_work *work, struct j2k_gpu_item *item)
{
    kst_format format = work->image->format;
    bool reversed = format == KST_FORMAT_BGR || format == KST_FORMAT_BGRA;
    *item = (struct j2k_gpu_item){.plan = &work->coded.plan, .output = *work->image, .channels = work->component_count};
    for (uint32_t k = 0; k < item->channels; k++)
        item->channel[k].component = reversed && k < 3 ? 2 - k : k;
    item->image = work->e->item.planes;
    item->in_place = work->e->item.source == ENCODE_DIRECT && work->image->memory == KST_MEMORY_CUDA;
}

bool kst_j2k_gpu_encodes(const struct j2k_encode_work *work)
{
    const struct j2k_plan *plan = &work->coded.plan;
    return work->e->gpu && kst_image_suits_kernels(work->image) && kst_gpu_j2k_encodes(plan, work->image) &&
           kst_gpu_j2k_encode_memory(plan) <= work->e->context->limits.memory;
}

static kst_status fail(const struct j2k_encode_work *work, const struct gpu_error *error)
{
    return kst_report_error(&work->e->report, error->status, KST_NO_OFFSET, error->text[0] ? "%s" : NULL, error->text);
}

static kst_status begin_job(struct j2k_encode_work *work)
{
    struct gpu_error error;
    if (work->gpu_job)
        return KST_OK;
    describe_image(work, &work->gpu_item.picture);
    work->gpu_item.image = work->image;
    work->gpu_item.source = work->e->item.source;
    work->gpu_item.planes = work->e->item.planes;
    work->gpu_item.measured = work->source.measure;
    work->gpu_job = kst_gpu_j2k_encode_begin(work->e->gpu, &work->gpu_item, 1, work->e->item.after, &error);
    return work->gpu_job ? KST_OK : fail(work, &error);
}

static uint32_t clipped(uint32_t value, uint32_t from, uint32_t size)
{
    return value < from ? 0 : value - from < size ? value - from : size;
}

static struct j2k_rect region_in_block(const struct round *round, const struct j2k_block *block)
{
    const struct j2k_plan *plan = &round->work->coded.plan;
    const struct j2k_band *band = &plan->band[block->band];
    if (plan->tile_component[band->tile_component].roi_shift == 0 || j2k_is_empty(round->work->source.region))
        return (struct j2k_rect){0, 0, 0, 0};
    struct j2k_rect region = kst_j2k_region_in_band(&round->job, band);
    return (struct j2k_rect){clipped(region.x0, block->x, block->width), clipped(region.y0, block->y, block->height),
        clipped(region.x1, block->x, block->width), clipped(region.y1, block->y, block->height)};
}

/* The tile's blocks of a kind. */
static void order_blocks(struct round *round, const struct j2k_encode_tile *tile, enum j2k_choice choice)
{
    const struct j2k_plan *plan = &round->work->coded.plan;
    for (uint32_t b = tile->first_block; b < tile->first_block + tile->block_count; b++) {
        if (choice != J2K_ALL_BLOCKS && kst_j2k_is_sampled(tile, b) != (choice == J2K_SAMPLE_BLOCKS))
            continue;
        round->order[round->count++] = (struct j2k_block_order){.block = b,
            .stop = kst_j2k_block_stop(tile, plan->block[b].band),
            .region = region_in_block(round, &plan->block[b])};
    }
}

/* Squares of half steps are told in powers of two. */
static double scaled(double value, uint32_t shift)
{
    return ldexp(value, 2 * (int)shift);
}

static void take_passes(const struct j2k_block_outcome *outcome, struct j2k_pass *pass)
{
    for (uint32_t i = 0; i < outcome->passes; i++) {
        uint32_t plane = outcome->planes - 1 - (i + 2) / 3, gain = outcome->pass[J2K_PASS_RESULT * i + 1];
        pass[i].length = outcome->pass[J2K_PASS_RESULT * i];
        pass[i].gain = scaled((int32_t)gain, j2k_gpu_gain_shift(plane));
    }
}

static void take_outcome(struct round *round, uint32_t index, struct j2k_pass *pass)
{
    const struct j2k_block_outcome *outcome = &round->outcome[index];
    struct j2k_block_code *coded = &round->work->coded.block[round->order[index].block];
    struct j2k_block_result *result = &round->job.result[round->order[index].block];
    *result = (struct j2k_block_result){
        .planes = (uint8_t)outcome->planes, .error = j2k_quantiser_error(outcome->error), .pass = pass};
    coded->data = outcome->passes > 0 ? outcome->data : NULL;
    coded->passes = (uint8_t)outcome->passes;
    if (outcome->passes == 0)
        return;
    uint32_t last = outcome->planes - 1 - (outcome->passes + 1) / 3;
    result->error += scaled((double)outcome->left, j2k_gpu_left_shift(last)) / 4;
    take_passes(outcome, pass);
}

/* Code what is ordered. `room`: gets the passes. */
static kst_status run_orders(struct round *round, struct j2k_pass **room)
{
    struct gpu_error error;
    size_t passes = 0;
    if (!kst_gpu_j2k_encode_blocks(round->work->gpu_job, round->order, round->count, round->outcome, &error))
        return fail(round->work, &error);
    for (uint32_t i = 0; i < round->count; i++)
        passes += round->outcome[i].passes;
    *room = kst_j2k_encode_take(&round->job, passes, sizeof **room);
    if (!*room)
        return KST_OK; /* the job's end tells */
    passes = 0;
    for (uint32_t i = 0; i < round->count; i++) {
        take_outcome(round, i, *room + passes);
        passes += round->outcome[i].passes;
    }
    round->count = 0;
    return KST_OK;
}

/* All blocks; or a sample of them, and then the others, which need not be coded as far. */
static kst_status run_round(struct round *round)
{
    const struct j2k_encode_work *work = round->work;
    uint32_t tiles = work->coded.plan.tile_count;
    for (uint32_t t = 0; t < tiles; t++) {
        struct j2k_encode_tile *tile = &round->tile[t];
        kst_j2k_encode_find_tile(&round->job, t, tile);
        kst_j2k_encode_first_stop(tile);
        order_blocks(round, tile, kst_j2k_encode_samples_first(tile) ? J2K_SAMPLE_BLOCKS : J2K_ALL_BLOCKS);
    }
    kst_status status = run_orders(round, &round->pass[0]);
    for (uint32_t t = 0; t < tiles && !status && kst_j2k_encode_goes_on(&round->job); t++) {
        struct j2k_encode_tile *tile = &round->tile[t];
        if (!kst_j2k_encode_samples_first(tile))
            continue;
        kst_j2k_encode_set_stop(tile);
        order_blocks(round, tile, J2K_OTHER_BLOCKS);
    }
    if (!status && round->count > 0 && kst_j2k_encode_goes_on(&round->job))
        status = run_orders(round, &round->pass[1]);
    return status;
}

static void release(struct round *round)
{
    struct memory *memory = &round->work->e->memory;
    kst_memory_release(memory, round->pass[0]);
    kst_memory_release(memory, round->pass[1]);
    kst_memory_release(memory, round->tile);
    kst_memory_release(memory, round->order);
    kst_memory_release(memory, round->outcome);
}

kst_status kst_j2k_gpu_code(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    uint32_t blocks = work->coded.plan.block_count;
    struct round round = {.work = work,
        .job = {.memory = &e->memory,
            .pool = e->context->pool,
            .coded = &work->coded,
            .source = &work->source,
            .encoded = &work->encoded}};
    kst_status status = begin_job(work);
    if (!status)
        status = kst_j2k_encode_start(&round.job, &e->report);
    if (status)
        return status;
    round.tile = kst_j2k_encode_take(&round.job, work->coded.plan.tile_count, sizeof *round.tile);
    round.order = kst_j2k_encode_take(&round.job, blocks, sizeof *round.order);
    round.outcome = kst_j2k_encode_take(&round.job, blocks, sizeof *round.outcome);
    if (round.job.result && round.tile && round.order && round.outcome)
        status = run_round(&round);
    if (status)
        atomic_store(&round.job.status, (int)status);
    status = kst_j2k_encode_finish(&round.job, &e->report);
    release(&round);
    return status;
}

void kst_j2k_gpu_report_encoding(struct j2k_encode_work *work)
{
    if (!work->gpu_job)
        return;
    kst_report *report = &work->e->report;
    const struct gpu *gpu = work->e->gpu->gpu;
    struct j2k_encode_times times = kst_gpu_j2k_encode_times(work->gpu_job);
    const double seconds[KST_STAGE_COUNT] = {[KST_STAGE_UPLOAD] = times.upload,
        [KST_STAGE_PIXELS] = times.transform,
        [KST_STAGE_ENTROPY] = times.blocks,
        [KST_STAGE_DOWNLOAD] = times.download};
    static const kst_stage stages[] = {KST_STAGE_UPLOAD, KST_STAGE_PIXELS, KST_STAGE_ENTROPY, KST_STAGE_DOWNLOAD};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        report->stage_device[stages[i]] = gpu->info.kind;
        report->stage_seconds[stages[i]] += seconds[stages[i]];
    }
    memcpy(report->device, gpu->info.name, sizeof report->device);
}
