/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns a block's samples into quantised coefficients in zig-zag order. One work-item does this in place, with the
 * integer arithmetic of the CPU's code.
 */
#include "jpeg/kernels/encode_samples.h"
#include "jpeg/tables/dct.h"

enum {
    FIRST_SHIFT = 11, /* shift of the products in the pass over rows */
    SECOND_SHIFT = 15 /* shift of the products in the pass over columns */
};

FUNCTION i32 lower_half(u32 x)
{
    return (i32)(x << 16) >> 16;
}

FUNCTION i32 upper_half(u32 x)
{
    return (i32)x >> 16;
}

FUNCTION u32 join_halves(i32 low, i32 high)
{
    return ((u32)low & 0xFFFF) | (u32)high << 16;
}

FUNCTION i32 scale_down(i32 sum, u32 shift)
{
    return (sum + (1 << (shift - 1))) >> shift;
}

/*
 * Apply the forward DCT to eight values, after Loeffler, Ligtenberg and Moschytz, in 13-bit fixed point: F_0_541 is
 * 0.541196100, and so on. out[0] and out[4] are plain sums of `in`, without a multiplication.
 */
FUNCTION void fdct_8(const i32 *in, i32 *out, u32 shift)
{
    i32 t0 = in[0] + in[7], t7 = in[0] - in[7], t1 = in[1] + in[6], t6 = in[1] - in[6];
    i32 t2 = in[2] + in[5], t5 = in[2] - in[5], t3 = in[3] + in[4], t4 = in[3] - in[4];
    i32 t10 = t0 + t3, t13 = t0 - t3, t11 = t1 + t2, t12 = t1 - t2;
    out[0] = t10 + t11;
    out[4] = t10 - t11;
    out[2] = scale_down(t13 * (F_0_541 + F_0_765) + t12 * F_0_541, shift);
    out[6] = scale_down(t13 * F_0_541 + t12 * (F_0_541 - F_1_847), shift);
    i32 z3 = t4 + t6, z4 = t5 + t7;
    i32 s3 = z3 * (F_1_175 - F_1_961) + z4 * F_1_175, s4 = z3 * F_1_175 + z4 * (F_1_175 - F_0_390);
    out[7] = scale_down(t4 * (F_0_298 - F_0_899) - t7 * F_0_899 + s3, shift);
    out[5] = scale_down(t5 * (F_2_053 - F_2_562) - t6 * F_2_562 + s4, shift);
    out[3] = scale_down(t6 * (F_3_072 - F_2_562) - t5 * F_2_562 + s3, shift);
    out[1] = scale_down(t7 * (F_1_501 - F_0_899) - t4 * F_0_899 + s4, shift);
}

/* Transform a row of samples, in two words, to four words of results. The level shift affects only the first result. */
FUNCTION void transform_row(LOCAL const u32 *from, LOCAL u32 *to)
{
    u32 left = from[0], right = from[1];
    i32 in[8], out[8];
    UNROLL
    for (u32 i = 0; i < 4; i++) {
        in[i] = (i32)(left >> (8 * i) & 255);
        in[i + 4] = (i32)(right >> (8 * i) & 255);
    }
    fdct_8(in, out, FIRST_SHIFT);
    out[0] = (out[0] - 8 * 128) * 4;
    out[4] = out[4] * 4;
    UNROLL
    for (u32 i = 0; i < 4; i++)
        to[i] = join_halves(out[2 * i], out[2 * i + 1]);
}

/* Divide, rounding halves away from 0; see jpeg_encode_component.quant. */
FUNCTION i32 quantise(i32 value, u32 reciprocal, u32 rounding)
{
    u32 magnitude = (u32)(value < 0 ? -value : value);
    i32 quotient = (i32)high_product(magnitude + rounding, reciprocal);
    return value < 0 ? -quotient : quotient;
}

FUNCTION void finish_column(i32 *column, LOCAL const u32x2 *quant)
{
    i32 out[8];
    fdct_8(column, out, SECOND_SHIFT);
    out[0] = scale_down(out[0], 2);
    out[4] = scale_down(out[4], 2);
    UNROLL
    for (u32 i = 0; i < 8; i++) {
        u32x2 divisor = quant[8 * i];
        column[i] = quantise(out[i], divisor.x, divisor.y);
    }
}

/* Transform and quantise two columns, which are in the halves of eight words. */
FUNCTION void transform_columns(LOCAL u32 *packed, LOCAL const u32x2 *quant)
{
    i32 low[8], high[8];
    UNROLL
    for (u32 i = 0; i < 8; i++) {
        low[i] = lower_half(packed[4 * i]);
        high[i] = upper_half(packed[4 * i]);
    }
    finish_column(low, quant);
    finish_column(high, quant + 1);
    UNROLL
    for (u32 i = 0; i < 8; i++)
        packed[4 * i] = join_halves(low[i], high[i]);
}

/* Transform 16 words of samples to 32 words of coefficients, two in a word, in raster order. */
FUNCTION void transform_block(LOCAL u32 *values, LOCAL const u32x2 *quant)
{
    /* Begin with the last row, so that results do not overwrite samples that are still to be read. */
    ROLL for (u32 i = 8; i-- > 0;) transform_row(values + 2 * i, values + 4 * i);
    ROLL for (u32 i = 0; i < 4; i++) transform_columns(values + i, quant + 2 * i);
}

/* Coefficient n in raster order, in the low half of a word. */
#define COEFFICIENT(n) ((n) % 2 ? packed[(n) / 2] >> 16 : packed[(n) / 2] & 0xFFFF)
#define PAIR(i, a, b) store_pair(values + (i), COEFFICIENT(a), COEFFICIENT(b), &nonzero[(i) / 16], 2 * (i) % 32);

FUNCTION void store_pair(LOCAL u32 *to, u32 low, u32 high, u32 *mask, u32 place)
{
    *to = low | high << 16;
    *mask |= (low != 0 ? 0x80000000u >> place : 0) | (high != 0 ? 0x40000000u >> place : 0);
}

/*
 * Sort the coefficients to zig-zag order. Bit 31 − k % 32 of nonzero[k / 32] says whether coefficient k is not 0, for
 * all but the first.
 */
FUNCTION void sort_block(LOCAL u32 *values, u32 *nonzero)
{
    u32 packed[32];
    nonzero[0] = nonzero[1] = 0;
    UNROLL
    for (u32 i = 0; i < 32; i++)
        packed[i] = values[i];
    /* clang-format off */
    PAIR(0, 0, 1) PAIR(1, 8, 16) PAIR(2, 9, 2) PAIR(3, 3, 10)
    PAIR(4, 17, 24) PAIR(5, 32, 25) PAIR(6, 18, 11) PAIR(7, 4, 5)
    PAIR(8, 12, 19) PAIR(9, 26, 33) PAIR(10, 40, 48) PAIR(11, 41, 34)
    PAIR(12, 27, 20) PAIR(13, 13, 6) PAIR(14, 7, 14) PAIR(15, 21, 28)
    PAIR(16, 35, 42) PAIR(17, 49, 56) PAIR(18, 57, 50) PAIR(19, 43, 36)
    PAIR(20, 29, 22) PAIR(21, 15, 23) PAIR(22, 30, 37) PAIR(23, 44, 51)
    PAIR(24, 58, 59) PAIR(25, 52, 45) PAIR(26, 38, 31) PAIR(27, 39, 46)
    PAIR(28, 53, 60) PAIR(29, 61, 54) PAIR(30, 47, 55) PAIR(31, 62, 63)
        /* clang-format on */
        nonzero[0] &= 0x7FFFFFFF;
}

#undef PAIR
#undef COEFFICIENT
