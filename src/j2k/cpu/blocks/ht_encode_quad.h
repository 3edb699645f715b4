/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the samples of a quad, and its context, for coding a row of quads and for rounding. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_QUAD_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_QUAD_H

#include <string.h>

#include "j2k/cpu/blocks/block_words.h"
#include "j2k/cpu/blocks/ht_encode.h"

/* Holds the samples of a quad: which are significant, their exponents, and the largest one. */
struct j2k_ht_quad_samples {
    uint32_t rho, exponent[4], largest;
};

ALWAYS_INLINE struct j2k_ht_quad_samples ht_take_quad(const uint32_t sample[4], uint32_t plane, uint32_t value[4])
{
    struct j2k_ht_quad_samples quad = {0};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t magnitude = (sample[i] & 0x7FFFFFFF) >> plane;
        value[i] = magnitude > 0 ? 2 * (magnitude - 1) | sample[i] >> 31 : 0;
        quad.exponent[i] = magnitude > 0 ? 32 - (uint32_t)__builtin_clz(value[i] | 1) : 0;
        quad.rho |= (uint32_t)(magnitude > 0) << i;
        quad.largest = quad.exponent[i] > quad.largest ? quad.exponent[i] : quad.largest;
    }
    return quad;
}

/* Load the samples of a quad of a block; those outside the block are 0. */
ALWAYS_INLINE void ht_load_quad(
    const struct j2k_ht_encoder *encoder, const uint32_t *block, uint32_t x, uint32_t y, uint32_t sample[4])
{
    const uint32_t *from = block + (size_t)y * encoder->width + x;
    const bool right = x + 1 < encoder->width, below = y + 1 < encoder->height;
    sample[0] = from[0];
    sample[1] = below ? from[encoder->width] : 0;
    sample[2] = right ? from[1] : 0;
    sample[3] = right && below ? from[encoder->width + 1] : 0;
}

/*
 * Note whether a row of quads has significant samples. Returns whether it must be coded: an empty row below an empty
 * one is not, but leaves zeros to the row below it.
 */
ALWAYS_INLINE bool ht_note_row(struct j2k_ht_encoder *encoder, uint32_t y, bool some)
{
    const struct j2k_ht_above *above = &encoder->above[(y / 2 + 1) % 2];
    struct j2k_ht_above *own = &encoder->above[y / 2 % 2];
    const bool must = some || above->some;
    if (must)
        own->some = some;
    else if (own->some)
        memset(own, 0, sizeof *own);
    return must;
}

ALWAYS_INLINE uint32_t ht_largest(const uint8_t exponent[4])
{
    uint32_t a = exponent[0] > exponent[1] ? exponent[0] : exponent[1];
    uint32_t b = exponent[2] > exponent[3] ? exponent[2] : exponent[3];
    return a > b ? a : b;
}

/*
 * Return the context of a quad (7.3.5), from rho of the quad on its left and, except in the first row, of those above.
 */
ALWAYS_INLINE uint32_t ht_context(uint32_t left, const uint8_t above[3], bool first)
{
    if (first)
        return ((left | left >> 1) & 1) | (left >> 1 & 6);
    return ((above[0] >> 3 | above[1] >> 1) & 1) | ((left >> 2 | left >> 3) & 1) << 1 |
           ((uint32_t)(above[1] >> 3 | above[2] >> 1) & 1) << 2;
}

#endif
