/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves when 16 bits suffice for the reversible path, and checks the conditions. */
#include "j2k/cpu/blocks/narrow.h"

#include "j2k/plan/range.h"

/*
 * The proof for encoding. After the level shift samples are in ±2^(depth − 1). RCT keeps Y in that range and doubles it
 * for U and V, which are differences; its intermediate sum r + 2 g + b is at most 2^(depth + 1). Let M be the bound of
 * the result: here it is at most 2^10.
 *
 * Rounding aside, the low-pass part after n levels in one direction is a filter of the samples: n times the low-pass
 * filter of F.4.8.1, (−1, 2, 6, 2, −1) / 8. The magnitudes of its coefficients add up to 1.5, 1.625, 1.6875, … 1.7156
 * for n = 1, 2, 3, … 16. Mirror images at the borders are the same in all levels, and a single sample either stays as
 * it is or has no low-pass part. In both directions together the factor is less than 1.7156² < 2.95.
 *
 * Rounding adds 0 to 1/2 to high-pass samples. To low-pass samples it adds 0 to 1/4 because of that, and −1/4 to 1/2 of
 * their own: 3/4 at most. In both directions this is 1.5 × 3/4 + 3/4 = 1.875, which further levels filter as if it had
 * been part of their samples. For 16 levels that adds up to less than 16 × 2.95 × 1.875 < 89.
 *
 * So the samples with which each level starts are in ±B, with B = 2.95 × 1024 + 89 < 3110. Vertically, high-pass rows
 * are in ±2 B, and low-pass rows too: B + floor((4 B + 2) / 4). A single row at an odd position is doubled.
 * Horizontally the same happens again, up to 4 B. The largest intermediate sum is that of two high-pass samples of
 * high-pass rows and 2: 8 B + 2 < 2^15.
 */
enum { BITS = 11, LEVELS = 16 };

bool kst_j2k_cpu_analysis_is_narrow(uint32_t depth, bool transformed, uint32_t levels)
{
    return depth + transformed <= BITS && levels <= LEVELS;
}

/*
 * When decoding, sums of two samples may be twice as large as the samples. The level shift adds half of the range, and
 * the whole range must be representable as well.
 */
bool kst_j2k_cpu_synthesis_is_narrow(
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
