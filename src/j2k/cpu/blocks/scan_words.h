/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes sets of a code-block's coefficients, with one bit for each in scanning order (T.800 D.1): four rows of a
 * column, sixteen columns of a stripe per word. Word w of stripe s has index (s + 1) × (words of a stripe + 1) + w + 1.
 * All other words are 0, so whatever is outside the block belongs to no set.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_SCAN_WORDS_H
#define KOSTKA_J2K_CPU_BLOCKS_SCAN_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "j2k/plan/plan.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The most words, which blocks of 1024 rows and at most 16 columns need. */
enum { J2K_BLOCK_WORDS = (J2K_BLOCK_SIDE / 4 + 2) * 2 + 1 };

/* The first row of each column, the last row of each column, and a whole column. */
#define J2K_TOP_ROWS 0x1111111111111111u
#define J2K_BOTTOM_ROWS 0x8888888888888888u
#define J2K_COLUMN 0xFu

/*
 * Return the neighbours below and, in the second function, above the members of a set in their columns. The other
 * argument is the word of the stripe above or below.
 */
ALWAYS_INLINE uint64_t j2k_below_in_columns(uint64_t own, uint64_t above)
{
    return (own << 1 & ~J2K_TOP_ROWS) | (above >> 3 & J2K_TOP_ROWS);
}

ALWAYS_INLINE uint64_t j2k_above_in_columns(uint64_t own, uint64_t below)
{
    return (own >> 1 & ~J2K_BOTTOM_ROWS) | (below << 3 & J2K_BOTTOM_ROWS);
}

/* Return the coefficients that are significant, or directly above or below a significant one. */
ALWAYS_INLINE uint64_t j2k_near_in_columns(const uint64_t *significant, ptrdiff_t stripe, bool causal)
{
    uint64_t own = *significant, below = causal ? 0 : significant[stripe];
    return own | j2k_below_in_columns(own, significant[-stripe]) | j2k_above_in_columns(own, below);
}

/*
 * Return the coefficients that are significant or have a significant neighbour; `stripe` is the number of words from
 * one stripe to the next.
 */
ALWAYS_INLINE uint64_t j2k_near(const uint64_t *significant, ptrdiff_t stripe, bool causal)
{
    uint64_t near = j2k_near_in_columns(significant, stripe, causal);
    near |= near << 4 | near >> 4;
    near |= j2k_near_in_columns(significant - 1, stripe, causal) >> 60;
    return near | j2k_near_in_columns(significant + 1, stripe, causal) << 60;
}

/* Return the neighbours that come later in scanning order, as far as they are in the same word. */
ALWAYS_INLINE uint64_t j2k_later_neighbours(uint64_t bits)
{
    uint64_t upper = bits & ~J2K_BOTTOM_ROWS, lower = bits & ~J2K_TOP_ROWS;
    return upper << 1 | bits << 4 | upper << 5 | lower << 3;
}

/* Return the first bits of the columns all of whose four bits are in `bits`. */
ALWAYS_INLINE uint64_t j2k_whole_columns(uint64_t bits)
{
    bits &= bits >> 2;
    return bits & bits >> 1 & J2K_TOP_ROWS;
}

#endif
