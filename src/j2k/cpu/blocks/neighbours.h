/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoder knows around each coefficient of a code-block, and the contexts it gives (T.800 D.3). */
#ifndef KOSTKA_J2K_CPU_BLOCKS_NEIGHBOURS_H
#define KOSTKA_J2K_CPU_BLOCKS_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The neighbours of a coefficient that are significant:
 *
 *   bits 0–3  south-east, north-east, south-west, north-west
 *   bits 4–7  north, west, east, south
 *
 * and in bits 4–7 of another byte those of the nearest that are negative, so that zero coding need not wait for signs.
 * Columns lie one after the other, so that a coefficient has three of them, one below the other, to tell in each of
 * three columns.
 */
typedef uint8_t j2k_neighbours;

/* Zero coding (Table D.1): by sub-band, then by neighbours. Bands: LL, HL, LH, HH. */
extern __attribute__((visibility("hidden"))) const uint8_t kst_j2k_zero_coding[4][256];

/* Sign coding (Tables D.2 and D.3), by which of the nearest neighbours are significant in bits 0–3, and which of those
 * are negative in bits 4–7: the context in bits 1–7, the bit to invert with in bit 0. */
extern __attribute__((visibility("hidden"))) const uint8_t kst_j2k_sign_coding[256];

/* Three neighbours, the uppermost in the lowest bits. */
#define J2K_THREE(upper, middle, lower) ((uint32_t)(upper) | (uint32_t)(middle) << 8 | (uint32_t)(lower) << 16)

/* or-s three neighbours to what lies from `at` on. */
static inline __attribute__((always_inline)) void j2k_tell_three(j2k_neighbours *at, uint32_t three)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint32_t four;
    memcpy(&four, at, sizeof four);
    four |= three;
    memcpy(at, &four, sizeof four);
#else
    for (uint32_t i = 0; i < 3; i++)
        at[i] |= (j2k_neighbours)(three >> 8 * i);
#endif
}

/*
 * The coefficient at `at` has become significant; columns lie `pitch` apart. `up`: also the coefficients above may
 * know, which vertically causal contexts (D.7) forbid across stripes. What lies around a block, and one more below it,
 * may be written.
 */
static inline __attribute__((always_inline)) void j2k_tell_neighbours(j2k_neighbours *at, ptrdiff_t pitch, bool up)
{
    uint32_t known = up ? UINT32_MAX : ~(uint32_t)0xFF;
    j2k_tell_three(at - 1 - pitch, J2K_THREE(0x01, 0x40, 0x02) & known);
    j2k_tell_three(at - 1, J2K_THREE(0x80, 0, 0x10) & known);
    j2k_tell_three(at - 1 + pitch, J2K_THREE(0x04, 0x20, 0x08) & known);
}

/* And its sign. */
static inline __attribute__((always_inline)) void j2k_tell_sign(j2k_neighbours *at, ptrdiff_t pitch, uint32_t sign)
{
    uint32_t negative = 0 - sign;
    at[-pitch] |= 0x40 & negative;
    at[-1] |= 0x80 & negative;
    at[1] |= 0x10 & negative;
    at[pitch] |= 0x20 & negative;
}

#endif
