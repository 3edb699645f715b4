/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known around a coefficient of a code-block, packed per stripe column, and the contexts it gives (D.3). */
#ifndef KOSTKA_CPU_J2K_CONTEXT_H
#define KOSTKA_CPU_J2K_CONTEXT_H

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
 * Let the surroundings of row r know that it has become significant; its own word is *own, `at` the one in memory,
 * `pitch` words lie between stripes. The words are surrounded by a border that may be written. Vertically causal
 * contexts (D.7) do not see the stripe below.
 */
static inline __attribute__((always_inline)) void j2k_flags_spread(
    j2k_flags *own, j2k_flags *at, ptrdiff_t pitch, uint32_t r, uint32_t sign, uint32_t causal)
{
    j2k_flags mark = 1 | (j2k_flags)sign << J2K_SIGN_SHIFT;
    *own |= mark << (3 * r + 4);
    at[-1] |= mark << (3 * r + 5);
    at[1] |= mark << (3 * r + 3);
    if (r == 0 && !causal) {
        at[-pitch - 1] |= mark << 17;
        at[-pitch] |= mark << 16;
        at[-pitch + 1] |= mark << 15;
    }
    if (r == 3) {
        at[pitch - 1] |= mark << 2;
        at[pitch] |= mark << 1;
        at[pitch + 1] |= mark;
    }
}

#endif
