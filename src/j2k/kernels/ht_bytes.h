/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the streams of T.814 have in common (7.1): bytes are taken four at a time, and their stuffed bits are removed.
 * These are the highest bits of some bytes; masks have them set.
 */
#include "kernels/portable.h"

#include "j2k/tables/ht.h"

#define HT_TOPS 0x80808080u
#define HT_ONES 0x01010101u

/* Return the stuffed bits of bytes that are read forward: those behind FF. `before`: the bytes in front of them. */
FUNCTION u32 stuffed_forward(u32 before)
{
    return ((before & ~HT_TOPS) + HT_ONES) & before & HT_TOPS;
}

/*
 * Return the stuffed bits of bytes that are read backward, the first of them in the lowest bits: those of 7F and FF
 * where the byte read before is above 8F.
 */
FUNCTION u32 stuffed_backward(u32 bytes, u32 before)
{
    return ((bytes & ~HT_TOPS) + HT_ONES) & ((before & ~HT_TOPS) + 0x70707070u) & before & HT_TOPS;
}

/* Remove the bits of a mask from a word, and let higher bits move down. */
FUNCTION u32 without_bits(u32 bits, u32 mask)
{
    while (mask != 0) {
        u32 below = (0x80000000u >> leading_zeros(mask)) - 1;
        bits = (bits & below) | (bits >> 1 & ~below);
        mask &= below;
    }
    return bits;
}

/* The same, but lower bits move up. */
FUNCTION u32 without_bits_upward(u32 bits, u32 mask)
{
    while (mask != 0) {
        u32 below = (mask & (0u - mask)) - 1;
        bits = (bits & ~below << 1) | (bits & below) << 1;
        mask &= mask - 1;
    }
    return bits;
}

/* Return a word that begins at any byte. */
FUNCTION u32 bytes_at(GLOBAL const u32 *streams, u32 at)
{
    return shift_pair(streams[at / 4], streams[at / 4 + 1], at % 4 * 8);
}
