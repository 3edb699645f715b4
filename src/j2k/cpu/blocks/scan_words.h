/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of a code-block's coefficients, a bit for each in the order of scanning (T.800 D.1): four rows of a column,
 * sixteen columns of a stripe a word. Word w of stripe s is number (s + 1) × (words of a stripe + 1) + w + 1, and all
 * others are 0: so whatever lies around a block belongs to no set.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_SCAN_WORDS_H
#define KOSTKA_J2K_CPU_BLOCKS_SCAN_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "j2k/plan/plan.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { J2K_BLOCK_WORDS = (J2K_BLOCK_SIDE / 4 + 2) * 2 + 1 }; /* most in 16 × 1024 and narrower */

/* The first and the last row of each column, and a whole column. */
#define J2K_TOP_ROWS 0x1111111111111111u
#define J2K_BOTTOM_ROWS 0x8888888888888888u
#define J2K_COLUMN 0xFu

/* Members' neighbours below and above them in their columns; `other` is the word of the stripe above or below. */
ALWAYS_INLINE uint64_t j2k_below_in_columns(uint64_t own, uint64_t above)
{
    return (own << 1 & ~J2K_TOP_ROWS) | (above >> 3 & J2K_TOP_ROWS);
}

ALWAYS_INLINE uint64_t j2k_above_in_columns(uint64_t own, uint64_t below)
{
    return (own >> 1 & ~J2K_BOTTOM_ROWS) | (below << 3 & J2K_BOTTOM_ROWS);
}

/* Significant, or above or below such a coefficient. */
ALWAYS_INLINE uint64_t j2k_near_in_columns(const uint64_t *significant, ptrdiff_t stripe, bool causal)
{
    uint64_t own = *significant, below = causal ? 0 : significant[stripe];
    return own | j2k_below_in_columns(own, significant[-stripe]) | j2k_above_in_columns(own, below);
}

/* Significant, or with a significant neighbour; `stripe`: words from one stripe to the next. */
ALWAYS_INLINE uint64_t j2k_near(const uint64_t *significant, ptrdiff_t stripe, bool causal)
{
    uint64_t near = j2k_near_in_columns(significant, stripe, causal);
    near |= near << 4 | near >> 4;
    near |= j2k_near_in_columns(significant - 1, stripe, causal) >> 60;
    return near | j2k_near_in_columns(significant + 1, stripe, causal) << 60;
}

/* Neighbours of coefficients that come later in the order of scanning, as far as they are in their word. */
ALWAYS_INLINE uint64_t j2k_later_neighbours(uint64_t bits)
{
    uint64_t upper = bits & ~J2K_BOTTOM_ROWS, lower = bits & ~J2K_TOP_ROWS;
    return upper << 1 | bits << 4 | upper << 5 | lower << 3;
}

/* The first bits of columns of which all four are in `bits`. */
ALWAYS_INLINE uint64_t j2k_whole_columns(uint64_t bits)
{
    bits &= bits >> 2;
    return bits & bits >> 1 & J2K_TOP_ROWS;
}

#endif
