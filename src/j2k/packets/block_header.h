/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what packet headers say of a code-block (T.800 B.10.6, B.10.7). */
#ifndef KOSTKA_J2K_PACKETS_BLOCK_HEADER_H
#define KOSTKA_J2K_PACKETS_BLOCK_HEADER_H

#include "j2k/packets/header_bits.h"

enum { J2K_LENGTH_BITS_START = 3, J2K_LENGTH_BITS_MAX = 32 };

/* Read the number of coding passes (Table B.4). */
static inline uint32_t j2k_take_passes(struct j2k_header_bits *bits)
{
    enum { BITS = 16, TWO = 0x8000, MORE = 0xC000, SIX = 0xF000, MANY = 0xFF80 };
    j2k_bits_need(bits, BITS);
    const uint32_t code = (uint32_t)(bits->ahead >> (64 - BITS));
    const uint32_t length = code < TWO ? 1 : code < MORE ? 2 : code < SIX ? 4 : code < MANY ? 9 : 16;
    j2k_bits_skip(bits, length);
    if (code < MORE)
        return length;
    if (code < SIX)
        return 3 + (code >> 12 & 3);
    return code < MANY ? 6 + (code >> 7 & 31) : 37 + (code & 127);
}

/* Return the floor of the logarithm of a number, at least 1, to base 2. */
static inline uint32_t j2k_floor_log2(uint32_t value)
{
    return 31 - (uint32_t)__builtin_clz(value);
}

#endif
