/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says how large samples of the reversible transform can get, whatever the coded bits turn out to be: the packet
 * headers say how many bit-planes each code-block has, and the rest is arithmetic. An executor that knows this bound
 * may hold the samples in fewer than 32 bits and still get the same results as with 32.
 *
 * Let no coefficient of bands LL, HL, LH and HH be larger in magnitude than A, B, C and D. Then nothing that the
 * inverse 5/3 filter (T.800 F.3) makes of them is larger than A + B + C + D + 3. The proof follows.
 *
 * In one direction, with low coefficients s up to A and high coefficients d up to B, e = s − floor((d₋ + d₊ + 2) / 4) =
 * s − (d₋ + d₊) / 4 − δ, δ being −1/4, 0, 1/4 or 1/2, o = d + floor((e₋ + e₊) / 2) = d + (e₋ + e₊) / 2 − ε, ε being 0
 * or 1/2. So |e| ≤ A + B/2 + 1/2. In o, each of e₋ and e₊ subtracts at least a quarter of d, because d is a neighbour
 * of both: d has a factor 1 − (c₋ + c₊) / 2, and all other high coefficients together have (1 − c₋ − c₊) / 2, where c₋
 * and c₊ are the shares of d in each: 1/4, or 1/2 where mirroring makes d both neighbours. These factors are both at
 * least 0, and their sum is 3/2 − (c₋ + c₊) ≤ 1. So |o| ≤ A + B + 1/2 + 1/2. A line of one sample stays as it is or is
 * halved, towards −1. The other direction then works on lines up to A + B + 1 and C + D + 1.
 *
 * All of this holds for regions too, because their borders are mirrored in the same way. The sums inside the filter, e₋
 * + e₊ and d₋ + d₊ + 2, are at most twice that bound.
 */
#ifndef KOSTKA_J2K_PLAN_RANGE_H
#define KOSTKA_J2K_PLAN_RANGE_H

#include "j2k/plan/block_coder.h"
#include "j2k/plan/plan.h"

/*
 * Return the number of bits of the largest magnitude that a block can have, inside the region of interest or outside of
 * it (Annex H): 0–74. The first cleanup pass of T.814 may code bits of all planes of the band, and decoders treat
 * larger magnitudes as damage.
 */
static inline uint32_t j2k_magnitude_bits(const struct j2k_block *block, uint8_t roi_shift)
{
    uint32_t planes = block->coder == J2K_HT ? (uint32_t)block->missing + block->planes : block->planes;
    uint32_t inside = planes > roi_shift ? planes - roi_shift : 0;
    uint32_t outside = planes < roi_shift ? planes : roi_shift;
    return inside > outside ? inside : outside;
}

/*
 * Return the largest magnitude of any coefficient of a tile-component, of any sample of its resolutions, and of any
 * value computed between them, except for sums of two, which may be twice as large. The tile-component
 * must be reversible. UINT32_MAX means that much or more.
 */
uint32_t kst_j2k_range(const struct j2k_plan *plan, const struct j2k_tile_component *tc);

/*
 * Return the largest magnitude of the values that the inverse RCT (G.2) makes of samples within `range`: its results
 * and its sum of two.
 */
uint32_t kst_j2k_range_rct(const uint32_t range[3]);

#endif
