/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what a decoder knows about the neighbours of each coefficient of a code-block, and the contexts this gives
 * (T.800 D.3).
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_NEIGHBOURS_H
#define KOSTKA_J2K_CPU_BLOCKS_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The significant neighbours of a coefficient:
 *
 * bits 0–3: south-east, north-east, south-west, north-west;
 * bits 4–7: north, west, east, south.
 *
 * Bits 4–7 of another byte say which of the nearest neighbours are negative; that byte is separate so that zero coding
 * need not wait for signs. Columns are consecutive in memory: when a coefficient becomes significant, three consecutive
 * bytes change in each of three columns.
 */
typedef uint8_t j2k_neighbours;

/* Zero coding contexts (Table D.1), indexed by band (LL, HL, LH, HH), then by neighbours. */
extern __attribute__((visibility("hidden"))) const uint8_t kst_j2k_cpu_zero_coding[4][256];

/*
 * Sign coding (Tables D.2 and D.3). Bits 0–3 of the index say which of the nearest neighbours are significant, bits 4–7
 * which of those are negative. An entry has the context in bits 1–7 and the bit to invert the sign with in bit 0.
 */
extern __attribute__((visibility("hidden"))) const uint8_t kst_j2k_cpu_sign_coding[256];

/* Three neighbouring bytes of a column, the uppermost in the lowest bits. */
#define J2K_THREE(upper, middle, lower) ((uint32_t)(upper) | (uint32_t)(middle) << 8 | (uint32_t)(lower) << 16)

/* Set the bits of three consecutive bytes from `at` on. */
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
 * Notify the neighbours that the coefficient at `at` has become significant; columns are `pitch` apart. Without `up`
 * the coefficients above are not notified, because vertically causal contexts (D.7) forbid that across stripes. The
 * border of a block, and one byte after it, may be written.
 */
static inline __attribute__((always_inline)) void j2k_tell_neighbours(j2k_neighbours *at, ptrdiff_t pitch, bool up)
{
    uint32_t known = up ? UINT32_MAX : ~(uint32_t)0xFF;
    j2k_tell_three(at - 1 - pitch, J2K_THREE(0x01, 0x40, 0x02) & known);
    j2k_tell_three(at - 1, J2K_THREE(0x80, 0, 0x10) & known);
    j2k_tell_three(at - 1 + pitch, J2K_THREE(0x04, 0x20, 0x08) & known);
}

/* Notify the nearest neighbours of the coefficient's sign. */
static inline __attribute__((always_inline)) void j2k_tell_sign(j2k_neighbours *at, ptrdiff_t pitch, uint32_t sign)
{
    uint32_t negative = 0 - sign;
    at[-pitch] |= 0x40 & negative;
    at[-1] |= 0x80 & negative;
    at[1] |= 0x10 & negative;
    at[pitch] |= 0x20 & negative;
}

#endif
