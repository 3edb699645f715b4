/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads take code-blocks of a tile by turns. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/j2k_encode_tile.h"
#include "j2k/geometry.h"

enum { CHUNK = 1 << 18, ALIGNMENT = 8 };

/* Coded bytes and passes, given back all together. */
struct j2k_encoded_chunk {
    struct j2k_encoded_chunk *next;
    size_t used, length; /* of what follows */
    uint64_t words[];
};

/* One thread's room. */
struct worker {
    struct j2k_encode_tile *tile;
    struct j2k_block_encoder *encoder;
    struct j2k_encoded_chunk *chunk; /* that it is filling */
};

static void *keep(struct worker *worker, size_t length)
{
    struct j2k_encode_job *job = worker->tile->job;
    struct j2k_encoded_chunk *chunk = worker->chunk;
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
        worker->chunk = chunk;
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

static void raise_region(struct worker *worker, const struct j2k_block *block, uint32_t shift)
{
    const struct j2k_band *band = &worker->tile->job->coded->plan.band[block->band];
    struct j2k_rect region = kst_j2k_region_in_band(worker->tile->job, band);
    for (uint32_t y = 0; y < block->height; y++)
        for (uint32_t x = 0; x < block->width; x++) {
            uint32_t *sample = &worker->encoder->sample[(size_t)y * block->width + x];
            uint32_t bx = block->x + x, by = block->y + y;
            if (bx >= region.x0 && bx < region.x1 && by >= region.y0 && by < region.y1)
                *sample = (*sample & 0x80000000) | (*sample & 0x7FFFFFFF) << shift;
        }
}

/*
 * Between a row of coefficients and what a decoder makes of their indices, squared, in squares of 2^-14 of the step:
 * integers, so that every order of sums agrees.
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

/* Returns the quantiser's error. */
static double load(struct worker *worker, const struct j2k_block *block)
{
    const struct j2k_encode_tile *tile = worker->tile;
    const struct j2k_encode_job *job = tile->job;
    const struct j2k_band *band = &job->coded->plan.band[block->band];
    const struct j2k_tile_component *tc = &job->coded->plan.tile_component[band->tile_component];
    size_t pitch = j2k_rect_width(band->rect);
    const uint32_t *from = tile->coefficients + tile->band_offset[block->band - tile->first_band] +
                           (size_t)(block->y - band->rect.y0) * pitch + (block->x - band->rect.x0);
    float factor = 1.0F / band->step;
    uint64_t error = 0;
    for (uint32_t y = 0; y < block->height; y++, from += pitch) {
        uint32_t *to = worker->encoder->sample + (size_t)y * block->width;
        if (tc->reversible)
            job->forward.sign_integers((const int32_t *)from, block->width, to);
        else
            job->forward.quantise((const float *)from, block->width, factor, to);
        if (!tc->reversible && job->source->error > 0) /* else nobody asks */
            error += row_error((const float *)from, to, factor, block->width);
    }
    if (tc->roi_shift > 0 && !j2k_is_empty(job->source->region))
        raise_region(worker, block, tc->roi_shift);
    return j2k_quantiser_error(error);
}

static void store(struct worker *worker, uint32_t index, double error)
{
    struct j2k_encode_job *job = worker->tile->job;
    const struct j2k_block_encoder *encoder = worker->encoder;
    struct j2k_block_code *coded = &job->coded->block[index];
    job->result[index] =
        (struct j2k_block_result){.planes = (uint8_t)encoder->planes, .error = error + encoder->left / 4};
    coded->data = NULL;
    coded->passes = 0;
    if (encoder->passes == 0)
        return;
    struct j2k_pass *pass = keep(worker, encoder->passes * sizeof *pass);
    uint8_t *data = keep(worker, encoder->length);
    if (!pass || !data)
        return;
    memcpy(pass, encoder->pass, encoder->passes * sizeof *pass);
    memcpy(data, encoder->data, encoder->length);
    job->result[index].pass = pass;
    coded->data = data;
    coded->passes = (uint8_t)encoder->passes;
}

static void encode_block(struct worker *worker, uint32_t index)
{
    const struct j2k_encode_job *job = worker->tile->job;
    const struct j2k_plan *plan = &job->coded->plan;
    const struct j2k_block *block = &plan->block[index];
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
        .stop = kst_j2k_block_stop(worker->tile, block->band)};
    double error = load(worker, block);
    kst_j2k_block_encode(worker->encoder, &source);
    store(worker, index, error);
}

/* Of single precision, so that its products with lengths are exact. */
float kst_j2k_block_stop(const struct j2k_encode_tile *tile, uint32_t band)
{
    double half = tile->job->coded->plan.band[band].step / 2;
    double stop = tile->stop > 0 ? tile->stop / (tile->job->source->weight[band] * half * half) : 0;
    return stop < FLT_MIN ? 0 : (float)fmin(stop, FLT_MAX);
}

static bool is_chosen(const struct j2k_encode_tile *tile, uint32_t block)
{
    return tile->choice == J2K_ALL_BLOCKS || kst_j2k_is_sampled(tile, block) == (tile->choice == J2K_SAMPLE_BLOCKS);
}

static void run_worker(void *argument, uint32_t index)
{
    struct j2k_encode_tile *tile = argument;
    struct j2k_encode_job *job = tile->job;
    struct worker worker = {.tile = tile, .encoder = kst_j2k_encode_take(job, 1, sizeof *worker.encoder)};
    (void)index;
    while (worker.encoder && kst_j2k_encode_goes_on(job)) {
        uint32_t block = atomic_fetch_add(&tile->next_block, 1);
        if (block >= tile->block_count)
            break;
        if (is_chosen(tile, tile->first_block + block))
            encode_block(&worker, tile->first_block + block);
    }
    kst_memory_release(job->memory, worker.encoder);
}

static void run_choice(struct j2k_encode_tile *tile, enum j2k_choice choice)
{
    uint32_t threads = kst_pool_threads(tile->job->pool);
    tile->choice = choice;
    atomic_init(&tile->next_block, 0);
    kst_pool_run(tile->job->pool, threads < tile->block_count ? threads : tile->block_count, run_worker, tile);
}

bool kst_j2k_encode_samples_first(const struct j2k_encode_tile *tile)
{
    const struct j2k_encode_source *source = tile->job->source;
    bool limited = source->measure && (source->bytes < UINT64_MAX || source->error > 0);
    return limited && source->stop <= 0 && tile->block_count >= J2K_SAMPLED_BLOCKS_MIN;
}

void kst_j2k_encode_first_stop(struct j2k_encode_tile *tile)
{
    const struct j2k_encode_source *source = tile->job->source;
    tile->stop = kst_j2k_encode_samples_first(tile) ? source->sample_stop : source->stop;
}

void kst_j2k_encode_set_stop(struct j2k_encode_tile *tile)
{
    struct j2k_encode_job *job = tile->job;
    double before = tile->stop;
    tile->stop = kst_j2k_encode_stop(tile);
    pthread_mutex_lock(&job->shared);
    job->encoded->stop = fmax(job->encoded->stop, fmax(before, tile->stop));
    pthread_mutex_unlock(&job->shared);
}

void kst_j2k_encode_blocks(struct j2k_encode_tile *tile)
{
    if (tile->block_count == 0)
        return;
    kst_j2k_encode_first_stop(tile);
    if (!kst_j2k_encode_samples_first(tile)) {
        run_choice(tile, J2K_ALL_BLOCKS);
        return;
    }
    run_choice(tile, J2K_SAMPLE_BLOCKS);
    if (!kst_j2k_encode_goes_on(tile->job))
        return;
    kst_j2k_encode_set_stop(tile);
    run_choice(tile, J2K_OTHER_BLOCKS);
}
