/* SPDX-License-Identifier: BSD-2-Clause */
#include "j2k/cpu/blocks/narrow.h"

#include "j2k/plan/range.h"

/*
 * Samples are in ±2^(depth − 1) after the level shift. RCT leaves Y there and takes U and V, which are differences, to
 * twice that; r + 2 g + b of the way is at most 2^(depth + 1). Be M what results: 2^10 at most here.
 *
 * Rounding aside, what is low after n levels in one direction is a filter of the samples: the n-fold low-pass of
 * F.4.8.1 (−1, 2, 6, 2, −1) / 8, the sum of whose coefficients' magnitudes is 1.5, 1.625, 1.6875, … 1.7156 for n = 1,
 * 2, 3, … 16; mirror images at the borders are there in all levels alike, and a single sample stays what it is or has
 * no low part. In both directions that is less than 1.7156² < 2.95.
 *
 * Rounding adds to high samples 0 to 1/2, to low ones thereby 0 to 1/4 and −1/4 to 1/2 of their own, 3/4 at most; in
 * both directions 1.5 × 3/4 + 3/4 = 1.875, which further levels filter as if it had been in their samples. Of 16 levels
 * that makes less than 16 × 2.95 × 1.875 < 89.
 *
 * So each level starts from samples in ±B, B = 2.95 × 1024 + 89 < 3110. Vertically high rows are in ±2 B, low ones too:
 * B + floor((4 B + 2) / 4). A single row at an odd place is doubled. Across these rows the same again, up to 4 B. The
 * largest sum on the way is that of two high samples of high rows and 2: 8 B + 2 < 2^15.
 */
enum { BITS = 11, LEVELS = 16 };

bool kst_j2k_analysis_is_narrow(uint32_t depth, bool transformed, uint32_t levels)
{
    return depth + transformed <= BITS && levels <= LEVELS;
}

/* Sums of two samples may be twice as large; the level shift adds half of the range, which has to be there itself. */
bool kst_j2k_synthesis_is_narrow(
    const struct j2k_plan *plan, const struct j2k_tile_component *tc, uint32_t count, uint32_t depth)
{
    enum { GROUP = 3, DEPTH = 14 };
    uint32_t range[GROUP] = {0}, most = 0;
    if (!tc->reversible || depth > DEPTH)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        range[i] = kst_j2k_range(plan, &tc[i]);
        if (range[i] > INT16_MAX / 2)
            return false;
    }
    most = count == GROUP ? kst_j2k_range_rct(range) : range[0];
    return most + (1U << depth) <= INT16_MAX;
}
