/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the truncation points of all code-blocks by the convex hull of length and error, and sorts them by slope. */
#include "j2k/rate/rate_cuts.h"

#include <math.h>
#include <string.h>

enum { BLOCKS_TOGETHER = 512 };

/*
 * Build the convex hull from the left: each new pass removes those of the kept passes that it makes worthless. A pass
 * that costs nothing belongs to the one before it. Errors are summed from the last pass backwards, so that small ones
 * near the end are not lost in the large ones of the first passes.
 */
void kst_j2k_slopes(const uint32_t *length, const double *gain, uint32_t passes, double *slope)
{
    uint8_t hull[256];
    double left[257]; /* how much of the error each pass and those behind it remove together */
    uint32_t count = 0;
    left[passes] = 0;
    for (uint32_t pass = passes; pass-- > 0;)
        left[pass] = left[pass + 1] + gain[pass];
    for (uint32_t pass = 0; pass < passes; pass++) {
        slope[pass] = 0;
        double steepness = 0;
        for (;;) {
            uint32_t before = count > 0 ? length[hull[count - 1]] : 0;
            double more = left[count > 0 ? hull[count - 1] + 1 : 0] - left[pass + 1];
            if (more <= 0)
                break;
            steepness = length[pass] > before ? more / (length[pass] - before) : INFINITY;
            if (count == 0 || steepness < slope[hull[count - 1]])
                break;
            slope[hull[--count]] = 0;
            steepness = 0;
        }
        if (steepness > 0) {
            slope[pass] = steepness;
            hull[count++] = (uint8_t)pass;
        }
    }
}

double kst_j2k_gain_of(const struct j2k_rate *rate, uint32_t block, uint32_t from, uint32_t to)
{
    const double *gain = rate->gain + rate->coded->block[block].first_pass;
    double sum = 0;
    for (uint32_t pass = from; pass < to; pass++)
        sum += gain[pass];
    return sum;
}

/* Write a block's cuts. Returns the end of what was written. */
static struct j2k_rate_cut *put_cuts(const struct j2k_rate *rate, uint32_t index, struct j2k_rate_cut *cut)
{
    const struct j2k_block_code *block = &rate->coded->block[index];
    const uint32_t *length = rate->coded->pass_length + block->first_pass;
    double slope[256];
    uint8_t from = 0;
    kst_j2k_slopes(length, rate->gain + block->first_pass, block->passes, slope);
    for (uint32_t pass = 0; pass < block->passes; pass++) {
        if (slope[pass] <= 0)
            continue;
        *cut++ = (struct j2k_rate_cut){.slope = (float)slope[pass],
            .block = index,
            .bytes = length[pass] - (from > 0 ? length[from - 1] : 0),
            .from = from,
            .to = (uint8_t)(pass + 1)};
        from = (uint8_t)(pass + 1);
    }
    return cut;
}

/* Return the sort key of a cut. Positive floating-point numbers are ordered like their bits. */
static uint32_t key_of(const struct j2k_rate_cut *cut)
{
    uint32_t bits;
    memcpy(&bits, &cut->slope, sizeof bits);
    return ~bits;
}

/*
 * Sort by slope, greatest first, keeping the order of equal ones: a radix sort with digits of 11 bits, the lowest
 * first.
 */
static void sort(struct j2k_rate_cut *cut, struct j2k_rate_cut *other, size_t count)
{
    enum { DIGIT = 11, DIGITS = 3 };
    struct j2k_rate_cut *from = cut, *to = other;
    for (int digit = 0; digit < DIGITS; digit++) {
        size_t place[1 << DIGIT] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++)
            place[key_of(&from[i]) >> digit * DIGIT & ((1U << DIGIT) - 1)]++;
        for (size_t i = 0; i < 1 << DIGIT; i++) {
            size_t some = place[i];
            place[i] = sum;
            sum += some;
        }
        for (size_t i = 0; i < count; i++)
            to[place[key_of(&from[i]) >> digit * DIGIT & ((1U << DIGIT) - 1)]++] = from[i];
        struct j2k_rate_cut *swap = from;
        from = to;
        to = swap;
    }
}

/*
 * Describes a slice of blocks whose cuts one thread finds. It has room for one cut per pass, because every pass may be
 * a cut.
 */
struct slice {
    size_t first;
    struct j2k_rate_cut *end;
};

struct finding {
    const struct j2k_rate *rate;
    struct slice *slice;
    struct j2k_rate_cut *cut;
};

static void find_slice(void *argument, uint32_t index)
{
    const struct finding *finding = argument;
    const struct j2k_rate *rate = finding->rate;
    struct slice *slice = &finding->slice[index];
    uint32_t first = index * BLOCKS_TOGETHER, left = rate->coded->plan.block_count - first;
    uint32_t end = first + (left < BLOCKS_TOGETHER ? left : BLOCKS_TOGETHER);
    slice->end = finding->cut + slice->first;
    for (uint32_t b = first; b < end; b++)
        slice->end = put_cuts(rate, b, slice->end);
}

/* Set where the cuts of each slice go. Returns the number of passes. */
static size_t place_slices(const struct j2k_rate *rate, struct slice *slice)
{
    size_t passes = 0;
    for (uint32_t b = 0; b < rate->coded->plan.block_count; b++) {
        if (b % BLOCKS_TOGETHER == 0)
            slice[b / BLOCKS_TOGETHER].first = passes;
        passes += rate->coded->block[b].passes;
    }
    return passes;
}

/* Move the cuts of all slices together, keeping their order, and sort them. */
static void sort_slices(struct j2k_rate_cuts *cuts, const struct finding *finding, uint32_t slices)
{
    struct j2k_rate_cut *end = finding->cut;
    for (uint32_t i = 0; i < slices; i++) {
        struct j2k_rate_cut *cut = finding->cut + finding->slice[i].first;
        size_t count = (size_t)(finding->slice[i].end - cut);
        memmove(end, cut, count * sizeof *end);
        end += count;
    }
    cuts->count = (size_t)(end - finding->cut);
    sort(finding->cut, cuts->cut, cuts->count);
}

kst_status kst_j2k_rate_cuts(
    struct memory *memory, struct pool *pool, const struct j2k_rate *rate, struct j2k_rate_cuts *cuts)
{
    kst_status status = KST_OK;
    uint32_t slices = (rate->coded->plan.block_count + BLOCKS_TOGETHER - 1) / BLOCKS_TOGETHER;
    struct finding finding = {.rate = rate};
    finding.slice = kst_memory_array(memory, slices, sizeof *finding.slice, &status);
    size_t most = status ? 0 : place_slices(rate, finding.slice);
    finding.cut = kst_memory_array(memory, most, sizeof *finding.cut, &status);
    *cuts = (struct j2k_rate_cuts){.cut = NULL};
    cuts->cut = kst_memory_array(memory, most, sizeof *cuts->cut, &status);
    if (!status) {
        kst_pool_run(pool, slices, find_slice, &finding);
        sort_slices(cuts, &finding, slices);
    }
    kst_memory_release(memory, finding.slice);
    kst_memory_release(memory, finding.cut);
    return status;
}
