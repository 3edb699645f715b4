/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes bounds on the samples of the reversible transform; the header proves the rule that is computed here. */
#include "j2k/plan/range.h"

#include "j2k/plan/block_coder.h"

enum { ROUNDING = 3 /* added by rounding in each level; range.h derives it */ };

/* Return a saturating sum, which stays at UINT32_MAX once it gets there. */
static uint32_t plus(uint32_t a, uint32_t b)
{
    return b > UINT32_MAX - a ? UINT32_MAX : a + b;
}

/*
 * Return the largest magnitude of a band's coefficients. The half step that the decoder adds below the last decoded
 * bit-plane stays within that magnitude.
 */
static uint32_t band_range(const struct j2k_plan *plan, const struct j2k_band *band, uint8_t roi_shift)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < band->block_count; i++) {
        uint32_t own = j2k_magnitude_bits(&plan->block[band->first_block + i], roi_shift);
        bits = own > bits ? own : bits;
    }
    return bits < 32 ? (1U << bits) - 1 : UINT32_MAX;
}

uint32_t kst_j2k_range(const struct j2k_plan *plan, const struct j2k_tile_component *tc)
{
    uint32_t range = 0;
    for (uint32_t r = 0; r < tc->resolution_count; r++) {
        const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + r];
        for (uint32_t b = 0; b < resolution->band_count; b++)
            range = plus(range, band_range(plan, &plan->band[resolution->first_band + b], tc->roi_shift));
        range = plus(range, r > 0 ? ROUNDING : 0);
    }
    return range;
}

/* The inverse RCT computes G = Y − floor((U + V) / 4), R = V + G and B = U + G. */
uint32_t kst_j2k_range_rct(const uint32_t range[3])
{
    uint32_t chroma = range[1] > range[2] ? range[1] : range[2], both = plus(range[1], range[2]);
    uint32_t green = plus(range[0], both / 4 + 1), most = plus(green, chroma);
    return most > both ? most : both;
}
