/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds what decoding and encoding streams of T.814 (7.1) have in common: bytes are taken four at a time, and their
 * stuffed bits are removed. A stuffed bit is the highest bit of its byte; masks have these bits set.
 */
#include "kernels/portable.h"

#include "j2k/tables/ht.h"

#define HT_TOPS 0x80808080u
#define HT_ONES 0x01010101u

/* Pack the exponents of MEL into nibbles of a word. */
#define HT_NIBBLES(a, b, c, d, e, f, g, h) ((a) | (b) << 4 | (c) << 8 | (d) << 12 | (e) << 16 | (f) << 20 | (g) << 24)
#define HT_EXPONENTS(a, b, c, d, e, f, g, h, i, j, k, l, m)                                                            \
    ((u64)(HT_NIBBLES(a, b, c, d, e, f, g, 0)) | (u64)(HT_NIBBLES(h, i, j, k, l, m, 0, 0)) << 28)

/* Return the exponent of a state of MEL: a full run has 2^exponent zeros. */
FUNCTION u32 mel_exponent(u32 state)
{
    return (u32)(J2K_HT_MEL_EXPONENTS_IN(HT_EXPONENTS) >> 4 * state) & 15;
}

/* Return the index of the lowest bit that is set; there must be one. */
FUNCTION u32 lowest_bit(u32 x)
{
    return 31 - leading_zeros(x & (0 - x));
}

/*
 * Return the stuffed bits of bytes that are read forward: a byte behind FF has one. `before`: the bytes, each in the
 * place of the one behind it.
 */
FUNCTION u32 stuffed_forward(u32 before)
{
    return ((before & ~HT_TOPS) + HT_ONES) & before & HT_TOPS;
}

/*
 * Return the stuffed bits of bytes that are read backward, the first of them in the lowest bits: a byte 7F or FF has
 * one if the byte read before it is above 8F.
 */
FUNCTION u32 stuffed_backward(u32 bytes, u32 before)
{
    return ((bytes & ~HT_TOPS) + HT_ONES) & ((before & ~HT_TOPS) + 0x70707070u) & before & HT_TOPS;
}

/* Remove the bits of a mask from a word; higher bits move down. */
FUNCTION u32 without_bits(u32 bits, u32 mask)
{
    while (mask != 0) {
        u32 below = (0x80000000u >> leading_zeros(mask)) - 1;
        bits = (bits & below) | (bits >> 1 & ~below);
        mask &= below;
    }
    return bits;
}

/* Remove the bits of a mask from a word; lower bits move up. */
FUNCTION u32 without_bits_upward(u32 bits, u32 mask)
{
    while (mask != 0) {
        u32 below = (mask & (0u - mask)) - 1;
        bits = (bits & ~below << 1) | (bits & below) << 1;
        mask &= mask - 1;
    }
    return bits;
}
