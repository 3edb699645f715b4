/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes code-blocks: quantises coefficients from a band's window, codes or measures them, and keeps the results. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "j2k/cpu/blocks/block_measure.h"
#include "j2k/cpu/blocks/coding_group.h"
#include "j2k/syntax/geometry.h"

enum { CHUNK = 1 << 18, ALIGNMENT = 8 };

/* A piece of memory for coded bytes and passes; all pieces are released together. */
struct j2k_encoded_chunk {
    struct j2k_encoded_chunk *next;
    size_t used, length; /* in bytes of `words` */
    uint64_t words[];
};

struct j2k_encode_worker *kst_j2k_encode_worker_take(struct j2k_encode_job *job)
{
    pthread_mutex_lock(&job->shared);
    struct j2k_encode_worker *worker = job->idle;
    if (worker)
        job->idle = worker->next;
    pthread_mutex_unlock(&job->shared);
    if (!worker && (worker = kst_j2k_encode_take(job, 1, sizeof *worker)))
        worker->chunk = NULL;
    return worker;
}

void kst_j2k_encode_worker_put(struct j2k_encode_job *job, struct j2k_encode_worker *worker)
{
    pthread_mutex_lock(&job->shared);
    worker->next = job->idle;
    job->idle = worker;
    pthread_mutex_unlock(&job->shared);
}

void kst_j2k_encode_drop_workers(struct j2k_encode_job *job)
{
    while (job->idle) {
        struct j2k_encode_worker *next = job->idle->next;
        kst_memory_release(job->memory, job->idle);
        job->idle = next;
    }
}

void *kst_j2k_encode_keep(struct j2k_encode_job *job, struct j2k_encoded_chunk **filling, size_t length)
{
    struct j2k_encoded_chunk *chunk = *filling;
    length = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!chunk || chunk->length - chunk->used < length) {
        size_t room = length > CHUNK ? length : CHUNK;
        chunk = kst_j2k_encode_take(job, sizeof *chunk + room, 1);
        if (!chunk)
            return NULL;
        chunk->used = 0;
        chunk->length = room;
        pthread_mutex_lock(&job->shared);
        chunk->next = job->encoded->chunk;
        job->encoded->chunk = chunk;
        pthread_mutex_unlock(&job->shared);
        *filling = chunk;
    }
    void *kept = (char *)chunk->words + chunk->used;
    chunk->used += length;
    return kept;
}

void kst_j2k_encoded_chunks_release(struct memory *memory, struct j2k_encoded *encoded)
{
    while (encoded->chunk) {
        struct j2k_encoded_chunk *next = encoded->chunk->next;
        kst_memory_release(memory, encoded->chunk);
        encoded->chunk = next;
    }
}

struct j2k_rect kst_j2k_region_in_band(const struct j2k_encode_job *job, const struct j2k_band *band)
{
    const struct j2k_plan *plan = &job->coded->plan;
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    const struct j2k_component *component = &plan->component[band->tile_component % plan->component_count];
    uint32_t margin = tc->reversible ? 2 : 4;
    struct j2k_rect region = kst_j2k_divide(job->source->region, component->dx, component->dy);
    const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution];
    for (uint32_t r = tc->levels;; r--) {
        if (r == 0 || &plan->band[resolution[r].first_band] <= band) {
            region = r == 0 ? region : kst_j2k_enlarge(region, margin, resolution[r].rect);
            return r == 0 ? region : kst_j2k_band_of(region, band->orientation & 1U, band->orientation >> 1);
        }
        region = kst_j2k_band_of(kst_j2k_enlarge(region, margin, resolution[r].rect), 0, 0);
    }
}

static void raise_region(
    const struct j2k_encode_job *job, const struct j2k_block *block, uint32_t shift, uint32_t *sample)
{
    struct j2k_rect region = kst_j2k_region_in_band(job, &job->coded->plan.band[block->band]);
    for (uint32_t y = 0; y < block->height; y++)
        for (uint32_t x = 0; x < block->width; x++, sample++) {
            uint32_t bx = block->x + x, by = block->y + y;
            if (bx >= region.x0 && bx < region.x1 && by >= region.y0 && by < region.y1)
                *sample = (*sample & 0x80000000) | (*sample & 0x7FFFFFFF) << shift;
        }
}

/*
 * The squared error between a row of coefficients and what a decoder reconstructs from their indices, in squares of
 * 2^-14 of the step. It is an integer, so that every order of summation gives the same result.
 */
static uint64_t row_error(const float *from, const uint32_t *index, float factor, size_t count)
{
    uint64_t sum = 0;
    for (size_t x = 0; x < count; x++) {
        uint32_t magnitude = index[x] & 0x7FFFFFFF;
        float error = fabsf(from[x]) * factor - (magnitude > 0 ? (float)magnitude + 0.5F : 0);
        int32_t part = (int32_t)(error * (float)(1 << J2K_ERROR_BITS));
        sum += (uint64_t)((int64_t)part * part);
    }
    return sum;
}

/* Prefetch a block's rows. They are too far apart for processors to foresee, so each would be waited for in turn. */
static void fetch_ahead(const struct j2k_encode_window *window, const struct j2k_block *block, size_t x)
{
    enum { LINE = 64 };
    const size_t length = block->width * window->size;
    for (uint32_t y = 0; y < block->height; y++) {
        const uint8_t *row = (const uint8_t *)j2k_encode_window_row(window, block->y + y) + x * window->size;
        for (size_t at = 0; at < length; at += LINE)
            __builtin_prefetch(row + at);
        __builtin_prefetch(row + length - 1);
    }
}

/* Load a block's coefficients into the encoder. Returns the quantiser's error. */
static double load(const struct j2k_coding_group *group, struct j2k_block_encoder *encoder, uint32_t index)
{
    const struct j2k_encode_job *job = group->tile->job;
    const struct j2k_block *block = &group->tile->plan->block[index];
    const struct j2k_band *band = &group->tile->plan->band[block->band];
    const struct j2k_encode_component *c =
        &group->component[band->tile_component - group->tile->part->first_component - group->first];
    const struct j2k_encode_window *window = &c->band[block->band - c->resolution->first_band];
    float factor = 1.0F / band->step;
    uint64_t error = 0;
    fetch_ahead(window, block, block->x - band->rect.x0);
    for (uint32_t y = 0; y < block->height; y++) {
        const uint8_t *row = j2k_encode_window_row(window, block->y + y);
        const void *from = row + (block->x - band->rect.x0) * window->size;
        uint32_t *to = encoder->sample + (size_t)y * block->width;
        if (group->narrow)
            job->forward.sign_narrow(from, block->width, to);
        else if (c->tc->reversible)
            job->forward.sign_integers(from, block->width, to);
        else
            job->forward.quantise(from, block->width, factor, to);
        if (!c->tc->reversible && job->source->error > 0) /* otherwise the error is not used */
            error += row_error(from, to, factor, block->width);
    }
    if (c->tc->roi_shift > 0 && !j2k_is_empty(job->source->region))
        raise_region(
            job, &job->coded->plan.block[j2k_encode_block(group->tile, index)], c->tc->roi_shift, encoder->sample);
    return j2k_quantiser_error(error);
}

static bool keep_passes(struct j2k_encode_job *job, struct j2k_encode_worker *worker, struct j2k_block_result *result)
{
    const struct j2k_block_encoder *encoder = &worker->encoder;
    struct j2k_pass *pass = kst_j2k_encode_keep(job, &worker->chunk, encoder->passes * sizeof *pass);
    if (pass)
        memcpy(pass, encoder->pass, encoder->passes * sizeof *pass);
    result->pass = pass;
    return pass;
}

static bool keep_lengths(struct j2k_encode_job *job, struct j2k_encode_worker *worker, struct j2k_block_result *result)
{
    const struct j2k_block_encoder *encoder = &worker->encoder;
    uint32_t *length = kst_j2k_encode_keep(job, &worker->chunk, encoder->passes * sizeof *length);
    for (uint32_t i = 0; length && i < encoder->passes; i++)
        length[i] = encoder->pass[i].length;
    result->length = length;
    return length;
}

static void store(struct j2k_encode_job *job, struct j2k_encode_worker *worker, uint32_t index, double error)
{
    const struct j2k_block_encoder *encoder = &worker->encoder;
    struct j2k_block_code *coded = &job->coded->block[index];
    job->result[index] =
        (struct j2k_block_result){.planes = (uint8_t)encoder->planes, .error = error + encoder->left / 4};
    coded->data = NULL;
    coded->passes = 0;
    if (encoder->passes == 0)
        return;
    uint8_t *data = kst_j2k_encode_keep(job, &worker->chunk, encoder->length);
    if (!data || !(job->source->measure ? keep_passes : keep_lengths)(job, worker, &job->result[index]))
        return;
    memcpy(data, encoder->data, encoder->length);
    coded->data = data;
    coded->passes = (uint8_t)encoder->passes;
}

/* Measure what the planes of a sampled block would gain. */
static void measure(struct j2k_encode_job *job, struct j2k_encode_worker *worker, uint32_t index,
    const struct j2k_block_source *source, double error)
{
    struct j2k_gains gains[J2K_ENCODER_PLANES];
    uint32_t planes = kst_j2k_block_measure(&worker->encoder, source, gains);
    struct j2k_gains *kept = kst_j2k_encode_keep(job, &worker->chunk, planes * sizeof *kept);
    if (kept)
        memcpy(kept, gains, planes * sizeof *kept);
    job->result[index] = (struct j2k_block_result){.planes = (uint8_t)planes, .error = error, .plane = kept};
}

void kst_j2k_encode_one(const struct j2k_coding_group *group, struct j2k_encode_worker *worker, uint32_t index)
{
    struct j2k_encode_job *job = group->tile->job;
    const struct j2k_plan *plan = &job->coded->plan;
    const uint32_t whole = j2k_encode_block(group->tile, index);
    const struct j2k_block *block = &plan->block[whole];
    const struct j2k_band *band = &plan->band[block->band];
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    const struct j2k_block_source source = {.passes = job->passes,
        .width = block->width,
        .height = block->height,
        .orientation = band->orientation,
        .style = tc->style,
        .exact = tc->reversible,
        .measure = job->source->measure,
        .sum = job->source->error > 0,
        .stop = kst_j2k_block_stop(group->tile, block->band)};
    double error = load(group, &worker->encoder, index);
    if (group->choice == J2K_SAMPLE_BLOCKS) {
        measure(job, worker, whole, &source, error);
        return;
    }
    kst_j2k_block_encode(&worker->encoder, &source);
    store(job, worker, whole, error);
    kst_j2k_encode_count(job, 1);
}

/* The result has single precision, so that its products with lengths are exact. */
float kst_j2k_block_stop(const struct j2k_encode_tile *tile, uint32_t band)
{
    double half = tile->job->coded->plan.band[band].step / 2;
    double stop = tile->stop > 0 ? tile->stop / (tile->job->source->weight[band] * half * half) : 0;
    return stop < FLT_MIN ? 0 : (float)fmin(stop, FLT_MAX);
}

bool kst_j2k_encode_samples_first(const struct j2k_encode_tile *tile)
{
    const struct j2k_encode_source *source = tile->job->source;
    bool limited = source->measure && (source->bytes < UINT64_MAX || source->error > 0);
    return limited && source->stop <= 0 && tile->block_count >= J2K_SAMPLED_BLOCKS_MIN;
}

void kst_j2k_encode_given_stop(struct j2k_encode_tile *tile)
{
    tile->stop = tile->job->source->stop;
}

void kst_j2k_encode_set_stop(struct j2k_encode_tile *tile)
{
    struct j2k_encode_job *job = tile->job;
    tile->stop = kst_j2k_encode_stop(tile);
    pthread_mutex_lock(&job->shared);
    job->encoded->stop = fmax(job->encoded->stop, tile->stop);
    pthread_mutex_unlock(&job->shared);
}
