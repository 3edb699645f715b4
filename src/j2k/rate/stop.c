/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses from a sample of the blocks how far all blocks need to be coded for a target. What the sample's bit-planes
 * gain is computed; what they cost is estimated. Rate allocation notices if the guess was too high. The guess depends
 * on the sample alone, so it is the same on any device and for any number of threads.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "j2k/plan/block_coder.h"
#include "j2k/rate/encoding.h"
#include "j2k/rate/rate_cuts.h"

enum {
    QUARTER_BITS = 32,            /* of a byte */
    STEPS = 16,                   /* number of bisections that find the threshold */
    SHARE = 256,                  /* blocks that a thread looks at in one task */
    POINTS = 2 * J2K_CODED_PLANES /* per block: the significance and then the refinement of each plane */
};

/*
 * Planes from which less than this share of the gain per byte promised by the sample is expected are left out. With
 * several tiles the share is lower: each tile assumes that the whole picture is like itself, which it seldom is.
 */
static const double margin = 0.65, margin_of_tiles = 0.25;

/* Describes a point where a block may be cut: the gain per byte, the bytes and the gain since the cut before it. */
struct cut {
    double slope, bytes, gain; /* bytes and gain of all blocks that this block stands for */
};

/* Holds consecutive blocks that one task looks at. */
struct block_share {
    size_t first, count; /* its place among the cuts; how many cuts it has */
    double error;        /* squared error before any pass */
    double low, high;    /* least and greatest slope */
};

struct sample {
    const struct j2k_encode_tile *tile;
    struct block_share *share;
    struct cut *cut;
    size_t count;
    double error, low, high;
};

/* Return n if one in n blocks of a band is sampled: in bands of few blocks each block has much weight. */
static uint32_t stride_of(const struct j2k_plan *plan, uint32_t band)
{
    const struct j2k_tile_component *tc = &plan->tile_component[plan->band[band].tile_component];
    const struct j2k_resolution *top = &plan->resolution[tc->first_resolution + tc->resolution_count - 1U];
    if (band >= top->first_band)
        return 4;
    return tc->resolution_count > 1 && band >= top[-1].first_band ? 2 : 1;
}

/*
 * Estimate a block's length up to each point, in quarters of a bit, and the gain of each point. Returns the number of
 * points.
 */
static uint32_t estimate(const struct j2k_block_coder *coder, const struct j2k_block_result *result, uint32_t samples,
    bool exact, double unit, uint32_t length[POINTS], double gain[POINTS])
{
    uint32_t count = 0, sum = 0;
    for (uint32_t plane = result->planes; plane-- > 0;) {
        const struct j2k_gains *gains = &result->plane[plane];
        double scale = unit * j2k_measure_plane(plane, exact).unit;
        uint32_t significance, refinement;
        coder->estimate(samples, gains->significant, gains->refined, &significance, &refinement);
        sum += significance;
        length[count] = sum;
        gain[count++] = (double)gains->significance * scale;
        sum += refinement;
        length[count] = sum;
        gain[count++] = (double)gains->refinement * scale;
    }
    return count;
}

static void add_cut(struct block_share *share, struct cut *cut, double slope, double bytes, double gain)
{
    cut[share->count++] = (struct cut){slope, bytes, gain};
    share->low = slope < share->low ? slope : share->low;
    share->high = slope > share->high ? slope : share->high;
}

/* Add a block's cuts; `cut` is where the cuts of its share are. */
static void add_block(const struct j2k_encode_tile *tile, uint32_t index, struct block_share *share, struct cut *cut)
{
    const struct j2k_encoding *encoding = tile->encoding;
    const struct j2k_plan *plan = &encoding->coded->plan;
    const struct j2k_block_result *result = &encoding->result[index];
    const struct j2k_block *block = &plan->block[index];
    const struct j2k_band *band = &plan->band[block->band];
    double half = band->step / 2, unit = encoding->request->weight[block->band] * half * half;
    double stride = stride_of(plan, block->band), gain[POINTS] = {0}, slope[POINTS], gained = 0;
    uint32_t length[POINTS] = {0}, before = 0;
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    uint32_t points = estimate(kst_j2k_block_coder(tc->style), result, (uint32_t)block->width * block->height,
        tc->reversible, unit, length, gain);
    kst_j2k_slopes(length, gain, points, slope);
    share->error += stride * 4 * unit * result->error;
    for (uint32_t i = 0; i < points; i++) {
        share->error += stride * gain[i];
        gained += gain[i];
        if (slope[i] <= 0)
            continue;
        add_cut(share, cut, slope[i] * QUARTER_BITS, stride * (length[i] - before) / QUARTER_BITS, stride * gained);
        before = length[i];
        gained = 0;
    }
}

bool kst_j2k_is_sampled(const struct j2k_encode_tile *tile, uint32_t block)
{
    const struct j2k_plan *plan = &tile->encoding->coded->plan;
    return block % stride_of(plan, plan->block[block].band) == 0;
}

static uint32_t share_end(const struct j2k_encode_tile *tile, uint32_t index)
{
    uint32_t end = (index + 1) * SHARE;
    return tile->first_block + (end < tile->block_count ? end : tile->block_count);
}

static void add_share(void *argument, uint32_t index)
{
    const struct sample *sample = argument;
    struct block_share *share = &sample->share[index];
    for (uint32_t b = sample->tile->first_block + index * SHARE; b < share_end(sample->tile, index); b++)
        if (kst_j2k_is_sampled(sample->tile, b))
            add_block(sample->tile, b, share, sample->cut + share->first);
}

/* Find where the cuts of each share go. Returns how many cuts there may be. */
static size_t place_shares(struct sample *sample, uint32_t shares)
{
    size_t count = 0;
    for (uint32_t i = 0; i < shares; i++) {
        sample->share[i] = (struct block_share){.first = count, .low = INFINITY};
        for (uint32_t b = sample->tile->first_block + i * SHARE; b < share_end(sample->tile, i); b++)
            if (kst_j2k_is_sampled(sample->tile, b))
                count += 2U * sample->tile->encoding->result[b].planes;
    }
    return count;
}

/* Move the cuts of all shares together, adding their sums in a fixed order. */
static void join_shares(struct sample *sample, uint32_t shares)
{
    for (uint32_t i = 0; i < shares; i++) {
        const struct block_share *share = &sample->share[i];
        memmove(sample->cut + sample->count, sample->cut + share->first, share->count * sizeof *sample->cut);
        sample->count += share->count;
        sample->error += share->error;
        sample->low = share->low < sample->low ? share->low : sample->low;
        sample->high = share->high > sample->high ? share->high : sample->high;
    }
}

static bool look_at_blocks(struct sample *sample)
{
    struct j2k_encoding *encoding = sample->tile->encoding;
    uint32_t shares = (sample->tile->block_count + SHARE - 1) / SHARE;
    sample->share = kst_j2k_encode_take(encoding, shares, sizeof *sample->share);
    if (sample->share)
        sample->cut = kst_j2k_encode_take(encoding, place_shares(sample, shares), sizeof *sample->cut);
    if (!sample->cut)
        return false;
    kst_pool_run(encoding->pool, shares, add_share, sample);
    join_shares(sample, shares);
    return true;
}

/*
 * Holds the state of the bisection: `count` cuts, from `cut` on, are undecided. Those before them are taken in any
 * case, and `bytes` and `error` include them.
 */
struct cut_search {
    struct cut *cut;
    size_t count;
    double bytes, error; /* of the whole picture, if cut there */
};

/*
 * Partition the undecided cuts so that those at the threshold and above come first. Returns how many these are; *at
 * receives the bytes and the error of the picture with them.
 */
static size_t part_cuts(const struct cut_search *search, double threshold, struct cut_search *at)
{
    struct cut *cut = search->cut;
    size_t above = 0;
    *at = *search;
    for (size_t i = 0; i < search->count; i++) {
        struct cut own = cut[i];
        if (own.slope < threshold)
            continue;
        at->bytes += own.bytes;
        at->error -= own.gain;
        cut[i] = cut[above];
        cut[above++] = own;
    }
    return above;
}

/* Return whether the whole picture would be longer than the target, or already better than it. */
static bool is_beyond(const struct j2k_encode_tile *tile, const struct cut_search *at, double scale)
{
    const struct j2k_encode_request *request = tile->encoding->request;
    return (request->bytes < UINT64_MAX && at->bytes * scale > (double)request->bytes) ||
           (request->error > 0 && at->error * scale < request->error);
}

/* Bisect between the least and the greatest slope. Returns 0 if everything is wanted. */
static double find_threshold(const struct sample *sample, double scale)
{
    struct cut_search search = {.cut = sample->cut, .count = sample->count, .error = sample->error}, at;
    part_cuts(&search, sample->low, &at);
    if (sample->low >= sample->high || !is_beyond(sample->tile, &at, scale))
        return 0;
    double low = log(sample->low), high = log(sample->high);
    for (uint32_t i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        size_t above = part_cuts(&search, exp(middle), &at);
        if (is_beyond(sample->tile, &at, scale)) {
            low = middle;
            search.count = above;
        } else {
            high = middle;
            search = (struct cut_search){search.cut + above, search.count - above, at.bytes, at.error};
        }
    }
    return exp(low);
}

double kst_j2k_encode_stop(struct j2k_encode_tile *tile)
{
    struct j2k_encoding *encoding = tile->encoding;
    struct sample sample = {.tile = tile, .low = INFINITY};
    double threshold = 0;
    if (look_at_blocks(&sample))
        threshold = find_threshold(&sample, (double)encoding->coded->plan.block_count / tile->block_count);
    kst_memory_release(encoding->memory, sample.share);
    kst_memory_release(encoding->memory, sample.cut);
    return threshold * (encoding->coded->plan.tile_count > 1 ? margin_of_tiles : margin);
}

/* The result has single precision, so that its products with lengths are exact. */
float kst_j2k_block_stop(const struct j2k_encode_tile *tile, uint32_t band)
{
    double half = tile->encoding->coded->plan.band[band].step / 2;
    double stop = tile->stop > 0 ? tile->stop / (tile->encoding->request->weight[band] * half * half) : 0;
    return stop < FLT_MIN ? 0 : (float)fmin(stop, FLT_MAX);
}

/* Return whether the coder of the tile's blocks can estimate what their planes cost. */
static bool can_estimate(const struct j2k_encode_tile *tile)
{
    const struct j2k_plan *plan = &tile->encoding->coded->plan;
    bool all = true;
    for (uint32_t c = 0; c < plan->component_count; c++)
        all = all && kst_j2k_block_coder(plan->tile_component[tile->tile->first_component + c].style)->estimate;
    return all;
}

bool kst_j2k_encode_samples_first(const struct j2k_encode_tile *tile)
{
    const struct j2k_encode_request *request = tile->encoding->request;
    bool limited = request->measure && (request->bytes < UINT64_MAX || request->error > 0);
    return limited && can_estimate(tile) && request->stop <= 0 && tile->block_count >= J2K_SAMPLED_BLOCKS_MIN;
}

void kst_j2k_encode_given_stop(struct j2k_encode_tile *tile)
{
    tile->stop = tile->encoding->request->stop;
}

void kst_j2k_encode_find_stop(struct j2k_encode_tile *tile)
{
    struct j2k_encoding *encoding = tile->encoding;
    tile->stop = kst_j2k_encode_stop(tile);
    pthread_mutex_lock(&encoding->shared);
    encoding->encoded->stop = fmax(encoding->encoded->stop, tile->stop);
    pthread_mutex_unlock(&encoding->shared);
}
