/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes code-blocks on the context's GPU. The coded bytes and the measured gains are the same as on the CPU. */
#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "image/location.h"
#include "j2k/rate/encoding.h"
#include "j2k/rate/measure.h"
#include "j2k/run/encode.h"
#include "j2k/syntax/geometry.h"
#include "j2k/write/capabilities.h"

/* Describes a picture while its blocks are coded. */
struct round {
    struct j2k_encoder *encoder;
    struct j2k_encoding encoding;
    bool begun;
    bool placed; /* the device has written the picture's packets, and the host takes no results of its blocks */
    struct j2k_encode_tile *tile;
    struct j2k_gpu_block_order *order;
    const struct j2k_gpu_block_outcome *outcome; /* for each order */
    const struct j2k_gpu_block_gains *measured;  /* when measuring: for each order */
    uint32_t count;                              /* number of orders */
    struct j2k_gains *gains;
};

enum { TAKEN_TOGETHER = 1024 /* blocks whose results a thread takes together */ };

/* Holds all pictures of a part. */
struct rounds {
    struct j2k_encode_gpu_part *part;
    struct j2k_gpu_encode_job *job;
    struct round *round;
    uint32_t count;
    struct j2k_gpu_block_order *order;
    struct j2k_gpu_block_outcome *outcome;
    struct j2k_gpu_block_gains *measured;
};

/* Return what the kernels are to measure. */
static uint32_t measures_of(const struct j2k_encoder *encoder)
{
    const struct j2k_encode_request *request = &encoder->request;
    return request->measure ? J2K_MEASURED_GAINS | (request->error > 0 ? J2K_MEASURED_ERRORS : 0U) : 0;
}

/* Describe the picture to the kernels, with the component of each of a pixel's samples, in the order of memory. */
void kst_j2k_run_describe_gpu_item(const struct j2k_encoder *encoder, struct j2k_gpu_encode_item *item)
{
    const struct encoding *e = encoder->e;
    const struct pixel_layout *layout = kst_pixel_layout(encoder->image->format);
    *item = (struct j2k_gpu_encode_item){.picture = {.plan = &encoder->coded.plan,
                                             .output = *encoder->image,
                                             .channels = encoder->component_count,
                                             .real = e->volume && !e->volume->reversible},
        .image = encoder->image,
        .source = e->source,
        .planes = e->planes,
        .components = e->volume ? e->volume->components : NULL,
        .measured = measures_of(encoder)};
    item->picture.placed = item->components;
    item->picture.at = item->components ? e->volume->at : 0;
    for (uint32_t k = 0; k < item->picture.channels && k < J2K_WORK_CHANNELS; k++)
        item->picture.channel[k].component = kst_pixel_place(layout, k);
    item->picture.image = e->planes;
    item->packet = encoder->packet;
    item->packets = encoder->packets;
    item->picture.in_place = e->source == GPU_SOURCE_DIRECT && kst_memory_has_addresses(encoder->image->memory);
}

bool kst_j2k_run_encode_gpu_codes(const struct j2k_encoder *encoder)
{
    return !kst_j2k_coded_has_ht(&encoder->coded) ||
           (encoder->options.passes == 1 && !(encoder->reversible && kst_j2k_run_encode_searches(encoder)));
}

bool kst_j2k_run_encode_gpu_suits(const struct j2k_encoder *encoder)
{
    const struct encoding *e = encoder->e;
    const struct j2k_plan *plan = &encoder->coded.plan;
    if (!e->gpu || e->rows || !kst_j2k_gpu_encodes(encoder->image) || !kst_j2k_run_encode_gpu_codes(encoder))
        return false;
    uint64_t bytes = kst_j2k_gpu_encode_memory(plan), device = e->gpu->gpu->info.memory;
    return bytes <= e->context->limits.memory && bytes <= J2K_GPU_ENCODE_MEMORY_MAX && (device == 0 || bytes <= device);
}

kst_status kst_j2k_run_encode_gpu_fail(const struct j2k_encoder *encoder, const struct gpu_error *error)
{
    return kst_report_error(
        &encoder->e->report, error->status, KST_NO_OFFSET, error->text[0] ? "%s" : NULL, error->text);
}

static uint32_t clipped(uint32_t value, uint32_t from, uint32_t size)
{
    return value < from ? 0 : value - from < size ? value - from : size;
}

struct j2k_rect kst_j2k_run_encode_gpu_region(const struct j2k_encoding *encoding, uint32_t index)
{
    const struct j2k_plan *plan = &encoding->coded->plan;
    const struct j2k_block *block = &plan->block[index];
    const struct j2k_band *band = &plan->band[block->band];
    if (plan->tile_component[band->tile_component].roi_shift == 0 || j2k_is_empty(encoding->request->region))
        return (struct j2k_rect){0, 0, 0, 0};
    struct j2k_rect region = kst_j2k_region_in_band(encoding, band);
    return (struct j2k_rect){clipped(region.x0, block->x, block->width), clipped(region.y0, block->y, block->height),
        clipped(region.x1, block->x, block->width), clipped(region.y1, block->y, block->height)};
}

/* List orders for the tile's blocks, or only for the sampled ones. */
static void order_blocks(struct round *round, const struct j2k_encode_tile *tile, enum j2k_choice choice)
{
    const struct j2k_plan *plan = &round->encoder->coded.plan;
    const bool regions = !j2k_is_empty(round->encoder->request.region);
    uint32_t band = UINT32_MAX;
    float stop = 0;
    for (uint32_t b = tile->first_block; b < tile->first_block + tile->block_count; b++) {
        if (choice == J2K_SAMPLE_BLOCKS && !kst_j2k_is_sampled(tile, b))
            continue;
        if (plan->block[b].band != band) {
            band = plan->block[b].band;
            stop = kst_j2k_block_stop(tile, band);
        }
        struct j2k_gpu_block_order *order = &round->order[round->count++];
        *order = (struct j2k_gpu_block_order){.item = round->encoder->member, .block = b, .stop = stop};
        if (regions)
            order->region = kst_j2k_run_encode_gpu_region(&round->encoding, b);
    }
}

/* Return how much a pass lowers the squared error, in squares of half steps. */
static double pass_gain(const struct j2k_gpu_block_outcome *outcome, uint32_t pass)
{
    const uint32_t *words = &outcome->pass[J2K_PASS_RESULT * pass + 1];
    if (outcome->ht)
        return ldexp((double)((uint64_t)words[1] << 32 | words[0]), 2 * (int)j2k_gpu_left_shift(outcome->planes));
    uint32_t plane = outcome->planes - 1 - (pass + 2) / 3;
    int64_t gain = j2k_gpu_gain(words);
    return (double)gain * j2k_measure_plane(plane, false).unit;
}

void kst_j2k_run_encode_gpu_take_passes(const struct j2k_gpu_block_outcome *outcome, struct j2k_pass *pass)
{
    for (uint32_t i = 0; i < outcome->passes; i++)
        pass[i] = (struct j2k_pass){.length = outcome->pass[J2K_PASS_RESULT * i], .gain = pass_gain(outcome, i)};
}

void kst_j2k_run_encode_gpu_take(
    struct j2k_encoding *encoding, uint32_t block, const struct j2k_gpu_block_outcome *outcome)
{
    struct j2k_block_code *coded = &encoding->coded->block[block];
    struct j2k_block_result *result = &encoding->result[block];
    *result = (struct j2k_block_result){.planes = (uint8_t)outcome->planes,
        .top = (uint8_t)(outcome->ht && outcome->passes > 0 ? 1 : outcome->planes),
        .error = j2k_quantiser_error(outcome->error)};
    coded->data = outcome->passes > 0 ? outcome->data : NULL;
    coded->passes = (uint8_t)outcome->passes;
    if (outcome->passes == 0)
        return;
    uint32_t last = outcome->planes - 1 - (outcome->passes + 1) / 3;
    result->error += ldexp((double)outcome->left, 2 * (int)j2k_gpu_left_shift(last)) / 4;
}

/* Take the outcome of a block, and append its passes to the array of all blocks' passes. */
static void take_outcome(struct round *round, uint32_t index)
{
    struct j2k_encoding *encoding = &round->encoding;
    const struct j2k_gpu_block_outcome *outcome = &round->outcome[index];
    uint32_t block = round->order[index].block, first = encoding->coded->block[block].first_pass;
    kst_j2k_run_encode_gpu_take(encoding, block, outcome);
    for (uint32_t i = 0; i < outcome->passes; i++)
        encoding->encoded->pass_length[first + i] = outcome->pass[J2K_PASS_RESULT * i];
    if (!encoding->request->measure)
        return;
    double unit = kst_j2k_encode_unit(encoding, block);
    for (uint32_t i = 0; i < outcome->passes; i++)
        encoding->encoded->pass_gain[first + i] = pass_gain(outcome, i) * unit;
}

static void take_slice(void *argument, uint32_t index)
{
    struct round *round = argument;
    uint32_t first = index * TAKEN_TOGETHER, left = round->count - first;
    for (uint32_t i = first; i < first + (left < TAKEN_TOGETHER ? left : TAKEN_TOGETHER); i++)
        take_outcome(round, i);
}

/* End the coding of one picture with an error. The other pictures of the part go on. */
static void stop_round(struct round *round, kst_status status)
{
    if (status && !round->encoder->status)
        round->encoder->status = status;
    round->count = 0;
}

static bool goes_on(struct round *round)
{
    return round->begun && !round->encoder->status && kst_j2k_encode_goes_on(&round->encoding);
}

/* List orders for the sampled blocks of tiles that are measured. Pictures whose bits are counted have no round. */
static void begin_round(void *argument, uint32_t index)
{
    struct round *round = &((struct rounds *)argument)->round[index];
    const struct j2k_encoder *encoder = round->encoder;
    uint32_t tiles = encoder->coded.plan.tile_count;
    if (encoder->request.count)
        return;
    kst_status status = kst_j2k_encode_start(&round->encoding, &encoder->e->report);
    round->begun = !status;
    if (status) {
        stop_round(round, status);
        return;
    }
    round->tile = kst_j2k_encode_take(&round->encoding, tiles, sizeof *round->tile);
    round->order = kst_j2k_encode_take(&round->encoding, encoder->coded.plan.block_count, sizeof *round->order);
    for (uint32_t t = 0; t < tiles && goes_on(round); t++) {
        struct j2k_encode_tile *tile = &round->tile[t];
        kst_j2k_encode_find_tile(&round->encoding, t, tile);
        kst_j2k_encode_given_stop(tile);
        if (kst_j2k_encode_samples_first(tile))
            order_blocks(round, tile, J2K_SAMPLE_BLOCKS);
    }
}

void kst_j2k_run_encode_gpu_take_gains(
    struct j2k_encoding *encoding, uint32_t block, const struct j2k_gpu_block_gains *measured, struct j2k_gains *gains)
{
    const struct j2k_gpu_gains *from = measured->plane;
    encoding->result[block] = (struct j2k_block_result){
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
    struct j2k_gains *gains = round->gains = kst_j2k_encode_take(&round->encoding, planes, sizeof *gains);
    for (uint32_t i = 0; i < round->count && gains; i++) {
        kst_j2k_run_encode_gpu_take_gains(&round->encoding, round->order[i].block, &round->measured[i], gains);
        gains += round->measured[i].planes;
    }
}

/* List orders for all blocks, each to be coded as far as the sample suggests. */
static void order_all(void *argument, uint32_t index)
{
    struct round *round = &((struct rounds *)argument)->round[index];
    if (goes_on(round) && round->count > 0)
        take_gains(round);
    round->count = 0;
    for (uint32_t t = 0; t < round->encoder->coded.plan.tile_count && goes_on(round); t++) {
        struct j2k_encode_tile *tile = &round->tile[t];
        if (kst_j2k_encode_samples_first(tile))
            kst_j2k_encode_find_stop(tile);
        order_blocks(round, tile, J2K_ALL_BLOCKS);
    }
}

static void take_outcomes(void *argument, uint32_t index)
{
    const struct rounds *rounds = argument;
    struct round *round = &rounds->round[index];
    uint32_t count = round->count;
    uint64_t passes = 0;
    if (!goes_on(round) || round->placed)
        return;
    for (uint32_t i = 0; i < count; passes += round->outcome[i++].passes)
        round->encoding.coded->block[round->order[i].block].first_pass = (uint32_t)passes;
    if (kst_j2k_encode_take_passes(&round->encoding, passes))
        kst_pool_run(round->encoding.pool, (count + TAKEN_TOGETHER - 1) / TAKEN_TOGETHER, take_slice, round);
    kst_j2k_encode_count(&round->encoding, count);
}

static void fail_all(struct rounds *rounds, const struct gpu_error *error)
{
    for (uint32_t i = 0; i < rounds->count; i++)
        if (!rounds->round[i].encoder->status)
            stop_round(&rounds->round[i], kst_j2k_run_encode_gpu_fail(rounds->round[i].encoder, error));
}

/* Join the orders of all pictures in one list. Returns its length. */
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

/* Join the orders of the pictures whose packets the device is to write. Returns the length of the list. */
static uint32_t join_placed(const struct rounds *rounds)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rounds->count; i++) {
        const struct round *round = &rounds->round[i];
        if (round->count == 0 || !kst_j2k_run_encode_places(round->encoder))
            continue;
        memcpy(rounds->order + count, round->order, round->count * sizeof *round->order);
        count += round->count;
    }
    return count;
}

/*
 * Code pictures together with their packets, as many as the device can. These then have no orders left; for the others,
 * the host writes the packets from now on. Returns false on failure.
 */
static bool place(struct rounds *rounds, struct gpu_error *error)
{
    struct memory *memory = &rounds->part->context->memory;
    const uint32_t count = join_placed(rounds);
    *error = (struct gpu_error){.status = KST_OK};
    if (count == 0)
        return true;
    uint32_t *length = kst_memory_array(memory, rounds->part->count, sizeof *length, &error->status);
    const bool done = length && kst_j2k_gpu_encode_packets(rounds->job, rounds->order, count, length, error);
    for (uint32_t i = 0; i < rounds->count && done; i++) {
        struct round *round = &rounds->round[i];
        struct j2k_encoder *encoder = round->encoder;
        if (round->count == 0 || !kst_j2k_run_encode_places(encoder) ||
            !kst_j2k_run_encode_place(encoder, length[encoder->member]))
            continue;
        kst_j2k_encode_count(&round->encoding, round->count);
        round->placed = true;
        round->count = 0;
    }
    kst_memory_release(memory, length);
    return done;
}

/* Measure the samples, then code all blocks, and take their results. */
static void run_orders(struct rounds *rounds)
{
    struct pool *pool = rounds->part->context->pool;
    struct j2k_gpu_encode_job *job = rounds->job;
    struct gpu_error error;
    uint32_t count = join_orders(rounds);
    if (count > 0 && !kst_j2k_gpu_measure_blocks(job, rounds->order, count, rounds->measured, &error)) {
        fail_all(rounds, &error);
        return;
    }
    kst_pool_run(pool, rounds->count, order_all, rounds);
    if (!place(rounds, &error)) {
        fail_all(rounds, &error);
        return;
    }
    count = join_orders(rounds);
    if (count > 0 && kst_j2k_gpu_encode_blocks(job, rounds->order, count, rounds->outcome, &error))
        kst_pool_run(pool, rounds->count, take_outcomes, rounds);
    else if (count > 0)
        fail_all(rounds, &error);
}

static void end_round(void *argument, uint32_t index)
{
    struct round *round = &((struct rounds *)argument)->round[index];
    struct memory *memory = &round->encoder->e->memory;
    if (round->begun) {
        if (round->encoder->status)
            atomic_store(&round->encoding.status, (int)round->encoder->status);
        kst_status status = (round->placed ? kst_j2k_encode_leave : kst_j2k_encode_finish)(
            &round->encoding, &round->encoder->e->report);
        stop_round(round, status);
    }
    kst_memory_release(memory, round->gains);
    kst_memory_release(memory, round->tile);
    kst_memory_release(memory, round->order);
}

static struct round round_of(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    return (struct round){.encoder = encoder,
        .encoding = {.memory = &e->memory,
            .pool = e->context->pool,
            .coded = &encoder->coded,
            .request = &encoder->request,
            .encoded = &encoder->encoded}};
}

static void run_rounds(struct j2k_encode_gpu_part *part, struct j2k_gpu_encode_job *job,
    struct j2k_encoder *const *encoder, uint32_t count)
{
    struct memory *memory = &part->context->memory;
    struct gpu_error error = {.status = KST_OK};
    struct rounds rounds = {.part = part, .job = job, .count = count};
    size_t blocks = 0;
    for (uint32_t i = 0; i < count; i++)
        blocks += encoder[i]->coded.plan.block_count;
    rounds.round = kst_memory_array(memory, count, sizeof *rounds.round, &error.status);
    rounds.order = kst_memory_array(memory, blocks, sizeof *rounds.order, &error.status);
    rounds.outcome = kst_memory_array(memory, blocks, sizeof *rounds.outcome, &error.status);
    rounds.measured = kst_memory_array(memory, blocks, sizeof *rounds.measured, &error.status);
    if (error.status) {
        for (uint32_t i = 0; i < count; i++)
            encoder[i]->status = kst_j2k_run_encode_gpu_fail(encoder[i], &error);
    } else {
        for (uint32_t i = 0; i < count; i++)
            rounds.round[i] = round_of(encoder[i]);
        kst_pool_run(part->context->pool, count, begin_round, &rounds);
        run_orders(&rounds);
        kst_pool_run(part->context->pool, count, end_round, &rounds);
    }
    kst_memory_release(memory, rounds.round);
    kst_memory_release(memory, rounds.order);
    kst_memory_release(memory, rounds.outcome);
    kst_memory_release(memory, rounds.measured);
}

static bool begin_job(struct j2k_encode_gpu_part *part, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    part->item = kst_memory_zeroed(&part->context->memory, part->count, sizeof *part->item, &error->status);
    part->again = kst_memory_zeroed(&part->context->memory, part->count, sizeof(void *), &error->status);
    if (error->status)
        return false;
    for (uint32_t i = 0; i < part->count; i++)
        kst_j2k_run_describe_gpu_item(part->encoder[i], &part->item[i]);
    part->job = kst_j2k_gpu_encode_begin(part->gpu, part->item, part->count, part->encoder[0]->e->after, error);
    return part->job;
}

void kst_j2k_run_encode_gpu_code(struct j2k_encode_gpu_part *part, struct j2k_encoder **encoder, uint32_t count)
{
    struct gpu_error error;
    *part = (struct j2k_encode_gpu_part){
        .context = encoder[0]->e->context, .gpu = encoder[0]->e->gpu, .encoder = encoder, .count = count};
    pthread_mutex_init(&part->coding, NULL);
    for (uint32_t i = 0; i < count; i++) {
        encoder[i]->part = part;
        encoder[i]->member = i;
        encoder[i]->status = KST_OK;
    }
    if (begin_job(part, &error))
        run_rounds(part, part->job, encoder, count);
    else
        for (uint32_t i = 0; i < count; i++)
            encoder[i]->status = kst_j2k_run_encode_gpu_fail(encoder[i], &error);
}

/*
 * With the part's job, pictures would wait for each other; and what was coded before would stay on the device, because
 * other pictures need it. So if there are several pictures, each one gets a job of its own.
 */
struct j2k_gpu_encode_job *kst_j2k_run_encode_gpu_own_job(struct j2k_encoder *encoder)
{
    struct j2k_encode_gpu_part *part = encoder->part;
    struct j2k_gpu_encode_job **again = &part->again[encoder->member];
    struct gpu_error error = {.status = KST_OK};
    if (part->count == 1)
        return part->job;
    if (*again)
        return *again;
    pthread_mutex_lock(&part->coding);
    *again = kst_j2k_gpu_encode_beside(part->job, &error);
    pthread_mutex_unlock(&part->coding);
    if (!*again)
        encoder->status = kst_j2k_run_encode_gpu_fail(encoder, &error);
    return *again;
}

/* What the job has coded before is no longer needed. */
kst_status kst_j2k_run_encode_gpu_again(struct j2k_encoder *encoder)
{
    struct j2k_encode_gpu_part *part = encoder->part;
    part->item[encoder->member].measured = measures_of(encoder);
    struct j2k_gpu_encode_job *job = kst_j2k_run_encode_gpu_own_job(encoder);
    if (!job)
        return encoder->status;
    if (part->count == 1)
        pthread_mutex_lock(&part->coding);
    kst_j2k_gpu_encode_forget(job);
    run_rounds(part, job, &encoder, 1);
    if (part->count == 1)
        pthread_mutex_unlock(&part->coding);
    return encoder->status;
}

void kst_j2k_run_encode_gpu_code_some(struct j2k_encode_gpu_part *part, const bool *wanted)
{
    struct memory *memory = &part->context->memory;
    struct gpu_error error = {.status = KST_OK};
    uint32_t count = 0;
    struct j2k_encoder **some = kst_memory_array(memory, part->count, sizeof(struct j2k_encoder *), &error.status);
    for (uint32_t i = 0; i < part->count; i++) {
        if (!wanted[i])
            continue;
        if (some)
            some[count++] = part->encoder[i];
        else
            part->encoder[i]->status = kst_j2k_run_encode_gpu_fail(part->encoder[i], &error);
    }
    for (uint32_t i = 0; i < count; i++) {
        kst_j2k_run_encode_unmake(some[i]);
        kst_j2k_encoded_release(&some[i]->e->memory, &some[i]->encoded);
        some[i]->placed = 0;
        part->item[some[i]->member].measured = measures_of(some[i]);
    }
    if (count > 0)
        run_rounds(part, part->job, some, count);
    kst_memory_release(memory, some);
}

const struct j2k_gpu_encode_job *kst_j2k_run_encode_gpu_job(const struct j2k_encoder *encoder)
{
    const struct j2k_encode_gpu_part *part = encoder->part;
    return part->again[encoder->member] ? part->again[encoder->member] : part->job;
}

kst_status kst_j2k_run_encode_gpu_arrive(struct j2k_encoder *encoder)
{
    struct j2k_encode_gpu_part *part = encoder->part;
    struct gpu_error error = {.status = KST_OK};
    bool arrived;
    if (!part)
        return KST_OK;
    if (part->again && part->again[encoder->member]) {
        arrived = kst_j2k_gpu_encode_arrive(part->again[encoder->member], &error);
    } else {
        pthread_mutex_lock(&part->coding);
        arrived = kst_j2k_gpu_encode_arrive(part->job, &error);
        pthread_mutex_unlock(&part->coding);
    }
    return arrived ? KST_OK : kst_j2k_run_encode_gpu_fail(encoder, &error);
}

void kst_j2k_run_encode_gpu_end(struct j2k_encode_gpu_part *part)
{
    struct memory *memory = &part->context->memory;
    for (uint32_t i = 0; i < part->count && part->again; i++)
        kst_j2k_gpu_encode_end(part->again[i]);
    kst_j2k_gpu_encode_end(part->job);
    kst_memory_release(memory, part->again);
    kst_memory_release(memory, part->item);
    pthread_mutex_destroy(&part->coding);
}

void kst_j2k_run_encode_gpu_report_times(
    struct j2k_encoder *encoder, const struct gpu *gpu, const struct j2k_gpu_encode_times *times, double share)
{
    kst_report *report = &encoder->e->report;
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

/* Report the times. Pictures that were coded together share them. */
void kst_j2k_run_encode_gpu_report(struct j2k_encoder *encoder)
{
    struct j2k_encode_gpu_part *part = encoder->part;
    if (!part->job)
        return;
    pthread_mutex_lock(&part->coding);
    struct j2k_gpu_encode_times times = kst_j2k_gpu_encode_times(part->job);
    pthread_mutex_unlock(&part->coding);
    kst_j2k_run_encode_gpu_report_times(encoder, part->gpu->gpu, &times, 1.0 / part->count);
    if (!part->again[encoder->member])
        return;
    times = kst_j2k_gpu_encode_times(part->again[encoder->member]);
    kst_j2k_run_encode_gpu_report_times(encoder, part->gpu->gpu, &times, 1);
}
