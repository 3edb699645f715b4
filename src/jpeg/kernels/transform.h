/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns coefficients into samples, in the integer arithmetic of the CPU's code. */
#include "jpeg/kernels/picture.h"
#include "jpeg/tables/dct.h"

enum {
    TRANSFORM_GROUP = WORK_TRANSFORM_GROUP,
    TRANSFORM_AT_ONCE = TRANSFORM_GROUP / 8,           /* blocks transformed at once */
    TRANSFORM_TURNS = WORK_BLOCKS / TRANSFORM_AT_ONCE, /* turns of a work-group */
    TILE_STEPS = 9 /* units of 16 bytes of a block between the passes; the last one is padding against bank conflicts */
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

/* Return the low 16 bits of the product, signed. Bits above the low 16 of either operand do not matter. */
FUNCTION i32 dequantise(u32 coefficient, u32 quant)
{
    return low_half(coefficient * quant);
}

FUNCTION u32 term(i32 value, i32 factor)
{
    return (u32)value * (u32)factor;
}

/*
 * Return the bias that rounds the sums of a pass when they are divided by 2^bits, with halves rounded up. It is added
 * to their common term.
 */
FUNCTION u32 rounding(u32 bits)
{
    return 1u << (bits - 1);
}

/* Return the bias of the second pass, which also moves −128…127 to 0…255. */
FUNCTION u32 sample_rounding(u32 bits)
{
    return rounding(bits) + (128u << bits);
}

/*
 * Apply the inverse DCT after Loeffler, Ligtenberg and Moschytz in 13-bit fixed point: F_0_541 is 0.541196100, and so
 * on. Eight values of 16 bits give eight sums, which include the bias, modulo 2^32.
 */
FUNCTION void idct_8(const i32 *in, u32 bias, u32 *out)
{
    u32 t0 = ((u32)(in[0] + in[4]) << 13) + bias, t1 = ((u32)(in[0] - in[4]) << 13) + bias;
    u32 t2 = term(in[2], F_0_541) + term(in[6], F_0_541 - F_1_847);
    u32 t3 = term(in[2], F_0_541 + F_0_765) + term(in[6], F_0_541);
    i32 a0 = in[7], a1 = in[5], a2 = in[3], a3 = in[1];
    u32 s3 = term(a0 + a2, F_1_175 - F_1_961) + term(a1 + a3, F_1_175);
    u32 s4 = term(a0 + a2, F_1_175) + term(a1 + a3, F_1_175 - F_0_390);
    u32 odd0 = term(a0, F_0_298 - F_0_899) - term(a3, F_0_899) + s3;
    u32 odd1 = term(a1, F_2_053 - F_2_562) - term(a2, F_2_562) + s4;
    u32 odd2 = term(a2, F_3_072 - F_2_562) - term(a1, F_2_562) + s3;
    u32 odd3 = term(a3, F_1_501 - F_0_899) - term(a0, F_0_899) + s4;
    out[0] = t0 + t3 + odd3;
    out[7] = t0 + t3 - odd3;
    out[1] = t1 + t2 + odd2;
    out[6] = t1 + t2 - odd2;
    out[2] = t1 - t2 + odd1;
    out[5] = t1 - t2 - odd1;
    out[3] = t0 - t3 + odd0;
    out[4] = t0 - t3 - odd0;
}

/* Apply the inverse DCT reduced to four sums, to eight values of which that at index 4 is not used. */
FUNCTION void idct_4(const i32 *in, u32 bias, u32 *out)
{
    u32 t0 = ((u32)in[0] << 14) + bias, t2 = term(in[2], F_1_847) - term(in[6], F_0_765);
    u32 odd0 = term(in[1], F_1_061) - term(in[3], F_2_172) + term(in[5], F_1_451) - term(in[7], F_0_211);
    u32 odd2 = term(in[1], F_2_562) + term(in[3], F_0_899) - term(in[5], F_0_601) - term(in[7], F_0_509);
    out[0] = t0 + t2 + odd2;
    out[3] = t0 + t2 - odd2;
    out[1] = t0 - t2 + odd0;
    out[2] = t0 - t2 - odd0;
}

/* Apply the inverse DCT reduced to two sums, to the first of eight values, which may have 32 bits, and the odd ones. */
FUNCTION void idct_2(const i32 *in, u32 bias, u32 *out)
{
    u32 even = ((u32)in[0] << 15) + bias;
    u32 odd = term(in[1], F_3_624) - term(in[3], F_1_272) + term(in[5], F_0_850) - term(in[7], F_0_720);
    out[0] = even + odd;
    out[1] = even - odd;
}

/* Describes a block of a plane: its number, counting row by row, and its column and row. */
struct block_place {
    u32 block, x, y;
};

/* Says how the blocks of a plane lie among the coefficients. */
struct block_order {
    u32 first, below, next_mcu, next_row, width_share, height_share;
};

FUNCTION struct block_order block_order_of(GLOBAL const struct jpeg_work_component *c)
{
    struct block_order result;
    result.first = c->block;
    result.below = c->below;
    result.next_mcu = c->next_mcu;
    result.next_row = c->next_row;
    result.width_share = c->width_share;
    result.height_share = c->height_share;
    return result;
}

FUNCTION u32 find_block(const struct block_order *order, const struct block_place *place)
{
    u32 mcu_x = place->x * order->width_share >> 16, mcu_y = place->y * order->height_share >> 16;
    return order->first + place->x + place->y * order->below + mcu_x * order->next_mcu + mcu_y * order->next_row;
}

/*
 * Load column `line` of a block and dequantise it; `quant` has the quantisers of this column. `dc` belongs to blocks
 * that are stored in columns; those of them that are not coded have undefined coefficients and count as zero.
 */
FUNCTION void load_column(GLOBAL const u32x4 *RESTRICT coefficients, GLOBAL const u32 *RESTRICT dc, u32 raster,
    u32 block, u32 line, const u32 *quant, i32 *in)
{
    u32 pair[4];
    if (raster) {
        GLOBAL const u16 *first = (GLOBAL const u16 *)(coefficients + (u64)block * 8) + line;
        UNROLL for (u32 i = 0; i < 4; i++) pair[i] = first[16 * i] | (u32)first[16 * i + 8] << 16;
    } else {
        u32x4 packed = coefficients[(u64)block * 8 + line];
        u32 first = dc[block], coded = first & DC_CODED;
        pair[0] = coded ? packed.x : 0;
        pair[1] = coded ? packed.y : 0;
        pair[2] = coded ? packed.z : 0;
        pair[3] = coded ? packed.w : 0;
        if (line == 0)
            pair[0] = (pair[0] & 0xFFFF0000u) | (first & 0xFFFF);
    }
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        in[2 * i] = dequantise(pair[i], quant[i]);
        in[2 * i + 1] = dequantise(pair[i] >> 16, quant[i] >> 16);
    }
}

FUNCTION u32 two_halves(const u32 *sums, u32 bits)
{
    return pack_halves((i32)sums[0] >> bits, (i32)sums[1] >> bits);
}

/*
 * Do the first pass: transform a column to at most eight values of 16 bits. For 2×2 samples the values have 32 bits,
 * all of which are used in the first column.
 */
FUNCTION void transform_column(const i32 *in, u32 scale, u32 line, LOCAL u32x4 *own)
{
    u32 sums[8];
    if (scale == 0) {
        idct_8(in, rounding(11), sums);
        own[line] = make_u32x4(
            two_halves(sums, 11), two_halves(sums + 2, 11), two_halves(sums + 4, 11), two_halves(sums + 6, 11));
    } else if (scale == 1) {
        idct_4(in, rounding(12), sums);
        own[line] = make_u32x4(two_halves(sums, 12), two_halves(sums + 2, 12), 0, 0);
    } else if (scale == 2) {
        idct_2(in, rounding(13), sums);
        i32 upper = (i32)sums[0] >> 13, lower = (i32)sums[1] >> 13;
        if (line > 0) {
            upper = saturate(upper, -32768, 32767);
            lower = saturate(lower, -32768, 32767);
        }
        own[line] = make_u32x4((u32)upper, (u32)lower, 0, 0);
    } else if (line == 0) {
        own[0] = make_u32x4((u32)in[0], 0, 0, 0);
    }
}

FUNCTION u32 four_samples(const u32 *sums, u32 bits)
{
    return pack_bytes((i32)sums[0] >> bits, (i32)sums[1] >> bits, (i32)sums[2] >> bits, (i32)sums[3] >> bits);
}

/*
 * Do the second pass: make row `line` of the samples of block `x` in its row of blocks. If a sample is made from DC
 * alone, values of more than 10 bits wrap around, as libjpeg's range limit does.
 */
FUNCTION void transform_row(LOCAL const u32x4 *own, u32 scale, u32 line, u32 x, GLOBAL u32x4 *RESTRICT row)
{
    LOCAL const i16 *halves = (LOCAL const i16 *)own + line;
    LOCAL const i32 *words = (LOCAL const i32 *)own + line;
    i32 in[8];
    u32 sums[8];
    if (scale < 2) {
        UNROLL for (u32 i = 0; i < 8; i++) in[i] = halves[8 * i];
    }
    if (scale == 0) {
        idct_8(in, sample_rounding(18), sums);
        ((GLOBAL u32x2 *)row)[x] = make_u32x2(four_samples(sums, 18), four_samples(sums + 4, 18));
    } else if (scale == 1) {
        idct_4(in, sample_rounding(19), sums);
        ((GLOBAL u32 *)row)[x] = four_samples(sums, 19);
    } else if (scale == 2) {
        UNROLL for (u32 i = 0; i < 8; i++) in[i] = words[4 * i];
        idct_2(in, sample_rounding(20), sums);
        ((GLOBAL u16 *)row)[x] = (u16)pack_bytes((i32)sums[0] >> 20, (i32)sums[1] >> 20, 0, 0);
    } else {
        u32 sample = ((u32)words[0] + 4) >> 3 & 1023;
        ((GLOBAL u8 *)row)[x] = (u8)saturate((i32)(sample ^ 512) - 512 + 128, 0, 255);
    }
}

FUNCTION GLOBAL u32x4 *sample_row(GLOBAL const struct jpeg_work_component *c, GLOBAL u32x4 *planes, u32 y)
{
    return planes + c->plane + (u64)y * c->pitch;
}

/* Return the component that a group of blocks of a picture belongs to. */
FUNCTION u32 component_of(GLOBAL const struct jpeg_work_picture *picture, u32 group)
{
    u32 component = 0;
    for (u32 i = 1; i < WORK_COMPONENTS; i++)
        component = group >= picture->component_group[i] ? i : component;
    return component;
}

/*
 * Move to the block of the next turn, if there is one; in planes that are not narrow this is at most one row further.
 */
FUNCTION void next_turn(struct block_place *place, u32 width, u32 blocks)
{
    place->block += TRANSFORM_AT_ONCE;
    place->x += TRANSFORM_AT_ONCE;
    while (place->block < blocks && place->x >= width) {
        place->x -= width;
        place->y++;
    }
}

/*
 * Dequantise and transform the blocks of the components' planes, one row of blocks after the other. Eight work-items
 * share a block: each transforms a column, then a row.
 */
KERNEL(TRANSFORM_GROUP)
transform_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT coefficients,
    GLOBAL const u32 *RESTRICT dc, GLOBAL u32x4 *RESTRICT planes)
{
    SHARED u32x4 tile[WORK_BLOCKS * TILE_STEPS];
    u32 first, index = find_picture(work, WORK_OF_BLOCKS, group_index(), &first);
    GLOBAL const struct jpeg_work_picture *picture = picture_at(work, index);
    u32 component = component_of(picture, group_index() - first);
    GLOBAL const struct jpeg_work_component *c = &picture->component[component];
    u32 line = local_index() % 8, scale = c->scale, width = c->blocks_w, blocks = c->blocks, quant[4];
    LOCAL u32x4 *own = tile + local_index() / 8 * TILE_STEPS;
    struct block_order order = block_order_of(c);
    struct block_place start, place;
    start.block = (group_index() - first - picture->component_group[component]) * WORK_BLOCKS + local_index() / 8;
    start.y = start.block / width;
    start.x = start.block - start.y * width;
    UNROLL for (u32 i = 0; i < 4; i++) quant[i] = c->quant[4 * line + i];
    place = start;
    for (u32 i = 0; i < TRANSFORM_TURNS; i++, next_turn(&place, width, blocks))
        if (place.block < blocks && (scale < 3 || line == 0)) {
            i32 in[8];
            load_column(coefficients, dc, picture->raster, find_block(&order, &place), line, quant, in);
            transform_column(in, scale, line, own + i * TRANSFORM_AT_ONCE * TILE_STEPS);
        }
    barrier_local();
    place = start;
    for (u32 i = 0; i < TRANSFORM_TURNS; i++, next_turn(&place, width, blocks))
        if (place.block < blocks && line < 8u >> scale)
            transform_row(own + i * TRANSFORM_AT_ONCE * TILE_STEPS, scale, line, place.x,
                sample_row(c, planes, (8 >> scale) * place.y + line));
}
