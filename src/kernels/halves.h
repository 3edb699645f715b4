/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts to 16-bit floating-point numbers, with the same results as in image/normalise.c. */
#include "kernels/portable.h"

/*
 * Convert the bits of a binary32 number to those of a binary16 number, rounding to nearest, ties to even. NaN is not
 * handled. This is done with integers because devices need not support binary16.
 */
FUNCTION u32 half_of(u32 bits)
{
    u32 sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF, shift = 13, mantissa = magnitude - 0x38000000;
    if (magnitude >= 0x47800000) /* 2^16 */
        return sign | 0x7C00;
    if (magnitude < 0x33000000) /* 2^-25 */
        return sign;
    if (magnitude < 0x38800000) { /* below 2^-14 the result is subnormal */
        shift = 126 - (magnitude >> 23);
        mantissa = (magnitude & 0x7FFFFF) | 0x800000;
    }
    u32 half_value = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), middle = 1u << (shift - 1);
    return sign | (half_value + (rest > middle || (rest == middle && (half_value & 1)) ? 1 : 0));
}
