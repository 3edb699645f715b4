/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts words of 64 bits to bytes and back in plain C, for coding_passes.h. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_CODING_BYTES_H
#define KOSTKA_J2K_CPU_BLOCKS_CODING_BYTES_H

#include <string.h>

#include "j2k/cpu/blocks/block_encode.h"

#define EACH_BYTE 0x0101010101010101u

/* Move the first byte in memory into the lowest bits. */
ALWAYS_INLINE uint64_t in_order(uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return bytes;
#else
    return __builtin_bswap64(bytes);
#endif
}

/* Turn bit i into byte i. */
ALWAYS_INLINE uint64_t bits_to_bytes(uint64_t bits)
{
    return ((bits * EACH_BYTE & 0x8040201008040201) + EACH_BYTE * 0x7F) >> 7 & EACH_BYTE;
}

/* Make a byte from each bit position of the words, with the first word's bit lowest, and add `plus`. */
ALWAYS_INLINE void spread_bits(const uint64_t *const word[], uint32_t count, uint32_t plus, uint8_t *to)
{
    for (uint32_t i = 0; i < 64; i += 8) {
        uint64_t bytes = EACH_BYTE * plus;
        for (uint32_t k = 0; k < count; k++)
            bytes += bits_to_bytes(*word[k] >> i & 0xFF) << k;
        bytes = in_order(bytes);
        memcpy(to + i, &bytes, sizeof bytes);
    }
}

/* Join eight columns of four bits. */
ALWAYS_INLINE uint64_t join_columns(const uint8_t *column)
{
    uint64_t eight;
    memcpy(&eight, column, sizeof eight);
    eight = in_order(eight);
    eight = (eight | eight >> 4) & 0x00FF00FF00FF00FF;
    eight = (eight | eight >> 8) & 0x0000FFFF0000FFFF;
    return (eight | eight >> 16) & 0xFFFFFFFF;
}

ALWAYS_INLINE uint64_t gather_plane(const uint32_t *from, size_t width, uint32_t plane)
{
    uint8_t column[16];
    for (uint32_t x = 0; x < 16; x++)
        column[x] = (uint8_t)((from[x] >> plane & 1) | (from[x + width] >> plane & 1) << 1 |
                              (from[x + 2 * width] >> plane & 1) << 2 | (from[x + 3 * width] >> plane & 1) << 3);
    return join_columns(column) | join_columns(column + 8) << 32;
}

/*
 * Collect sixteen columns of four rows that are `width` apart: planes go to to[0], to[J2K_PLANE_WORDS] and so on, signs
 * to *negative.
 */
ALWAYS_INLINE void gather_columns(const uint32_t *from, size_t width, uint32_t planes, uint64_t *to, uint64_t *negative)
{
    for (uint32_t plane = 0; plane < planes; plane++)
        to[(size_t)plane * J2K_PLANE_WORDS] = gather_plane(from, width, plane);
    *negative = gather_plane(from, width, 31);
}

#endif
