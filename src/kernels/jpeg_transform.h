/* SPDX-License-Identifier: BSD-2-Clause */
/* From coefficients to samples, in the integer arithmetic of the processor's code. */
#include "jpeg_picture.h"

enum {
    TRANSFORM_GROUP = WORK_TRANSFORM_GROUP,
    TILE_STEPS = 9 /* 16 bytes each, of a block between the passes; the last is padding against bank conflicts */
};

FUNCTION i32 low_half(u32 x)
{
    return (i32)(x << 16) >> 16;
}

FUNCTION i32 high_half(u32 x)
{
    return (i32)x >> 16;
}

FUNCTION i32 saturate(i32 x, i32 least, i32 most)
{
    x = x < least ? least : x;
    return x > most ? most : x;
}

FUNCTION i16 saturate_16(i32 x)
{
    return (i16)saturate(x, -32768, 32767);
}

/* The low 16 bits, signed. */
FUNCTION i32 dequantise(i32 coefficient, u32 quant)
{
    return low_half((u32)coefficient * quant);
}

FUNCTION u32 term(i32 value, i32 factor)
{
    return (u32)value * (u32)factor;
}

/* Divided by 2^bits, half rounded up. */
FUNCTION i32 descale(u32 sum, u32 bits)
{
    return (i32)(sum + (1u << (bits - 1))) >> bits;
}

/* Likewise, to a sample. */
FUNCTION u32 sample_of(u32 sum, u32 bits)
{
    return (u32)saturate(descale(sum + (128u << bits), bits), 0, 255);
}

/*
 * Eight values of 16 bits to eight sums modulo 2^32: the inverse DCT after Loeffler, Ligtenberg and Moschytz in 13-bit
 * fixed point: 4433 stands for 0.541196100, and so on.
 */
FUNCTION void idct_8(const i32 *in, u32 *out)
{
    u32 t0 = (u32)(in[0] + in[4]) << 13, t1 = (u32)(in[0] - in[4]) << 13;
    u32 t2 = term(in[2], 4433) + term(in[6], 4433 - 15137);
    u32 t3 = term(in[2], 4433 + 6270) + term(in[6], 4433);
    i32 a0 = in[7], a1 = in[5], a2 = in[3], a3 = in[1];
    u32 s3 = term(a0 + a2, 9633 - 16069) + term(a1 + a3, 9633);
    u32 s4 = term(a0 + a2, 9633) + term(a1 + a3, 9633 - 3196);
    u32 odd0 = term(a0, 2446 - 7373) - term(a3, 7373) + s3;
    u32 odd1 = term(a1, 16819 - 20995) - term(a2, 20995) + s4;
    u32 odd2 = term(a2, 25172 - 20995) - term(a1, 20995) + s3;
    u32 odd3 = term(a3, 12299 - 7373) - term(a0, 7373) + s4;
    out[0] = t0 + t3 + odd3;
    out[7] = t0 + t3 - odd3;
    out[1] = t1 + t2 + odd2;
    out[6] = t1 + t2 - odd2;
    out[2] = t1 - t2 + odd1;
    out[5] = t1 - t2 - odd1;
    out[3] = t0 - t3 + odd0;
    out[4] = t0 - t3 - odd0;
}

/* Of eight values all but that at index 4 give four sums. */
FUNCTION void idct_4(const i32 *in, u32 *out)
{
    u32 t0 = (u32)in[0] << 14, t2 = term(in[2], 15137) - term(in[6], 6270);
    u32 odd0 = term(in[1], 8697) - term(in[3], 17799) + term(in[5], 11893) - term(in[7], 1730);
    u32 odd2 = term(in[1], 20995) + term(in[3], 7373) - term(in[5], 4926) - term(in[7], 4176);
    out[0] = t0 + t2 + odd2;
    out[3] = t0 + t2 - odd2;
    out[1] = t0 - t2 + odd0;
    out[2] = t0 - t2 - odd0;
}

/* Of eight values the first, which may have 32 bits, and the odd ones give two sums. */
FUNCTION void idct_2(const i32 *in, u32 *out)
{
    u32 even = (u32)in[0] << 15;
    u32 odd = term(in[1], 29692) - term(in[3], 10426) + term(in[5], 6967) - term(in[7], 5906);
    out[0] = even + odd;
    out[1] = even - odd;
}

/* The quotient for a divisor of 1 to 4; x below 65536. */
FUNCTION u32 divide_small(u32 x, u32 divisor)
{
    return divisor == 3 ? x * 43691 >> 17 : x >> (divisor >> 1);
}

/* Which block of the buffer of coefficients stands at a place in the component's plane. */
FUNCTION u32 find_block(GLOBAL const struct work_component *c, u32 x, u32 y)
{
    u32 mcu_x = divide_small(x, c->h), mcu_y = divide_small(y, c->v);
    return c->block + mcu_y * c->mcu_row + mcu_x * c->mcu_step + (y - mcu_y * c->v) * c->block_row + (x - mcu_x * c->h);
}

/* Dequantised column `line` of a block. */
FUNCTION void load_column(GLOBAL const struct work_component *c, GLOBAL const u32x4 *RESTRICT coefficients, u32 raster,
    u32 block, u32 line, i32 *in)
{
    GLOBAL const u32 *quant = c->quant + 4 * line;
    if (raster) {
        GLOBAL const i16 *first = (GLOBAL const i16 *)(coefficients + (u64)block * 8) + line;
        UNROLL for (u32 i = 0; i < 8; i++) in[i] = first[8 * i];
    } else {
        u32x4 packed = coefficients[(u64)block * 8 + line];
        in[0] = low_half(packed.x);
        in[1] = high_half(packed.x);
        in[2] = low_half(packed.y);
        in[3] = high_half(packed.y);
        in[4] = low_half(packed.z);
        in[5] = high_half(packed.z);
        in[6] = low_half(packed.w);
        in[7] = high_half(packed.w);
    }
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        u32 pair = quant[i];
        in[2 * i] = dequantise(in[2 * i], pair & 0xFFFF);
        in[2 * i + 1] = dequantise(in[2 * i + 1], pair >> 16);
    }
}

/* The column's values after the first pass: rows of eight of 16 bits, for 2×2 of 32 bits. */
FUNCTION void transform_column(const i32 *in, u32 scale, u32 line, LOCAL u32x4 *own)
{
    LOCAL i16 *halves = (LOCAL i16 *)own;
    LOCAL i32 *words = (LOCAL i32 *)own;
    u32 sums[8];
    if (scale == 0) {
        idct_8(in, sums);
        UNROLL for (u32 i = 0; i < 8; i++) halves[8 * i + line] = saturate_16(descale(sums[i], 11));
    } else if (scale == 1) {
        idct_4(in, sums);
        UNROLL for (u32 i = 0; i < 4; i++) halves[8 * i + line] = saturate_16(descale(sums[i], 12));
    } else if (scale == 2) {
        idct_2(in, sums);
        UNROLL for (u32 i = 0; i < 2; i++)
        {
            i32 value = descale(sums[i], 13);
            words[8 * i + line] = line == 0 ? value : saturate_16(value);
        }
    } else if (line == 0) {
        words[0] = in[0];
    }
}

FUNCTION void load_row(LOCAL const u32x4 *own, u32 line, i32 *in)
{
    u32x4 packed = own[line];
    in[0] = low_half(packed.x);
    in[1] = high_half(packed.x);
    in[2] = low_half(packed.y);
    in[3] = high_half(packed.y);
    in[4] = low_half(packed.z);
    in[5] = high_half(packed.z);
    in[6] = low_half(packed.w);
    in[7] = high_half(packed.w);
}

FUNCTION u32 four_samples(const u32 *sums, u32 bits)
{
    return sample_of(sums[0], bits) | sample_of(sums[1], bits) << 8 | sample_of(sums[2], bits) << 16 |
           sample_of(sums[3], bits) << 24;
}

/* Row `line` of the samples of the row's block `x`. From DC alone, what exceeds 10 bits wraps, as libjpeg's range limit
 * does. */
FUNCTION void transform_row(LOCAL const u32x4 *own, u32 scale, u32 line, u32 x, GLOBAL u32x4 *RESTRICT row)
{
    i32 in[8];
    u32 sums[8];
    if (scale == 0) {
        load_row(own, line, in);
        idct_8(in, sums);
        ((GLOBAL u32x2 *)row)[x] = make_u32x2(four_samples(sums, 18), four_samples(sums + 4, 18));
    } else if (scale == 1) {
        load_row(own, line, in);
        idct_4(in, sums);
        ((GLOBAL u32 *)row)[x] = four_samples(sums, 19);
    } else if (scale == 2) {
        UNROLL for (u32 i = 0; i < 8; i++) in[i] = ((LOCAL const i32 *)own)[8 * line + i];
        idct_2(in, sums);
        ((GLOBAL u16 *)row)[x] = (u16)(sample_of(sums[0], 20) | sample_of(sums[1], 20) << 8);
    } else {
        u32 sample = ((u32)((LOCAL const i32 *)own)[0] + 4) >> 3 & 1023;
        ((GLOBAL u8 *)row)[x] = (u8)saturate((i32)(sample ^ 512) - 512 + 128, 0, 255);
    }
}

FUNCTION GLOBAL u32x4 *sample_row(GLOBAL const struct work_component *c, GLOBAL u32x4 *planes, u32 y)
{
    return planes + c->plane + (u64)y * c->pitch;
}

/* The component of a picture's group of blocks. */
FUNCTION u32 component_of(GLOBAL const struct work_picture *picture, u32 group)
{
    u32 component = 0;
    for (u32 i = 1; i < WORK_COMPONENTS; i++)
        component = group >= picture->component_group[i] ? i : component;
    return component;
}

/*
 * Dequantise and transform the blocks of components' planes, row by row of blocks. Eight work-items a block: each a
 * column, then a row.
 */
KERNEL(TRANSFORM_GROUP)
transform_blocks(
    GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT coefficients, GLOBAL u32x4 *RESTRICT planes)
{
    SHARED u32x4 tile[WORK_BLOCKS * TILE_STEPS];
    u32 first, index = find_picture(work, WORK_OF_BLOCKS, group_index(), &first);
    GLOBAL const struct work_picture *picture = picture_at(work, index);
    u32 component = component_of(picture, group_index() - first);
    GLOBAL const struct work_component *c = &picture->component[component];
    u32 group = group_index() - first - picture->component_group[component];
    u32 line = local_index() % 8, block = group * WORK_BLOCKS + local_index() / 8;
    u32 y = block / c->blocks_w, x = block - y * c->blocks_w, scale = c->scale, active = block < c->blocks;
    LOCAL u32x4 *own = tile + local_index() / 8 * TILE_STEPS;
    if (active && (scale < 3 || line == 0)) {
        i32 in[8];
        load_column(c, coefficients, picture->raster, find_block(c, x, y), line, in);
        transform_column(in, scale, line, own);
    }
    barrier_local();
    if (active && line < 8u >> scale) {
        transform_row(own, scale, line, x, sample_row(c, planes, (8 >> scale) * y + line));
    }
}
