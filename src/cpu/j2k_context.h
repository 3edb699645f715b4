/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known around a coefficient of a code-block, packed per stripe column, and the contexts it gives (D.3). */
#ifndef KOSTKA_CPU_J2K_CONTEXT_H
#define KOSTKA_CPU_J2K_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A column of four coefficients with its surroundings: three columns (west, own, east) of six rows (−1 to 4).
 *
 *   bits  0–17  significance: row r, column c at bit 3 (r + 1) + c
 *   bits 31–48  sign, in the same order; only those of the four nearest neighbours are used
 *   bits 20, 23, 26, 29  visited in this bit plane: of rows 0–3
 *   bits 19, 22, 25, 28  refined before
 *
 * So a shift by 3 r brings the 3 × 3 neighbourhood of row r to bits 0–8, its own significance to bit 4, visited and
 * refined to bits 20 and 19.
 */
typedef uint64_t j2k_flags;

#define J2K_SIGNIFICANT ((j2k_flags)1 << 4)
#define J2K_REFINED ((j2k_flags)1 << 19)
#define J2K_VISITED ((j2k_flags)1 << 20)
#define J2K_NEIGHBOURS ((j2k_flags)0x1EF)
#define J2K_SURROUNDINGS ((j2k_flags)0x3FFFF)
#define J2K_ALL_ROWS(flag) ((flag) | (flag) << 3 | (flag) << 6 | (flag) << 9)
#define J2K_SIGN_SHIFT 31

/* Zero coding (Table D.1): by sub-band, then by bits 0–8 of the shifted flags. Bands: LL, HL, LH, HH. */
extern const uint8_t kst_j2k_zero_contexts[4][512];

/* Sign coding (Tables D.2 and D.3), by j2k_sign_index(): the context in bits 1–7, the bit to invert with in bit 0. */
extern const uint8_t kst_j2k_sign_contexts[256];

/* Of flags shifted by 3 r: significance of north, west, east, south in bits 1, 3, 5, 7 and their signs in 0, 2, 4, 6.
 */
static inline uint32_t j2k_sign_index(j2k_flags shifted)
{
    return (uint32_t)((shifted & 0xAA) | (shifted >> 32 & 0x55));
}

/*
 * Sets of rows: row r is bit 3 r. Those that have a significant neighbour or are significant, those that are
 * significant, and those that are visited or missing.
 */
#define J2K_ROWS 0x249u

static inline uint32_t j2k_rows_near(j2k_flags flags)
{
    uint32_t any = (uint32_t)flags | (uint32_t)flags >> 1 | (uint32_t)flags >> 2; /* of a row's three columns */
    return (any | any >> 3 | any >> 6) & J2K_ROWS;
}

static inline uint32_t j2k_rows_significant(j2k_flags flags)
{
    return (uint32_t)flags >> 4 & J2K_ROWS;
}

static inline uint32_t j2k_rows_visited(j2k_flags flags)
{
    return (uint32_t)flags >> 20 & J2K_ROWS;
}

/* The row of a set's bit. */
static inline uint32_t j2k_row_of(uint32_t bit)
{
    return bit * 11 >> 5;
}

/* The row at `bit` = 3 r has become significant: what its column has to know. */
static inline j2k_flags j2k_flags_mark(uint32_t bit, uint32_t sign)
{
    return (J2K_SIGNIFICANT | (j2k_flags)sign << (J2K_SIGN_SHIFT + 4)) << bit;
}

/*
 * Let the surroundings of a column know which of its rows have become significant; `at` is its word in memory, `pitch`
 * words lie between stripes. The words are surrounded by a border that may be written. Vertically causal contexts (D.7)
 * do not see the stripe below. Rows 0 and 3 are not tested for: which of them changed is chance.
 */
static inline __attribute__((always_inline)) void j2k_flags_spread(
    j2k_flags before, j2k_flags after, j2k_flags *at, ptrdiff_t pitch, bool causal)
{
    const j2k_flags row = J2K_SIGNIFICANT | J2K_SIGNIFICANT << J2K_SIGN_SHIFT;
    j2k_flags fresh = after & ~before & J2K_ALL_ROWS(row);
    if (fresh == 0)
        return;
    at[-1] |= fresh << 1;
    at[1] |= fresh >> 1;
    j2k_flags top = fresh & row, bottom = fresh & row << 9;
    if (!causal) {
        at[-pitch - 1] |= top << 13;
        at[-pitch] |= top << 12;
        at[-pitch + 1] |= top << 11;
    }
    at[pitch - 1] |= bottom >> 11;
    at[pitch] |= bottom >> 12;
    at[pitch + 1] |= bottom >> 13;
}

#endif
