/* SPDX-License-Identifier: BSD-2-Clause */
/* From coefficients to samples and from samples to pixels, all in the integer arithmetic of the processor's code. */
#include "jpeg_picture.h"

enum {
    TRANSFORM_GROUP = WORK_TRANSFORM_GROUP,
    CONVERT_GROUP = WORK_CONVERT_GROUP,
    CONVERT_PIXELS = WORK_PIXELS / CONVERT_GROUP, /* of a work-item: 4 */
    TILE_WORDS = 36 /* of a block between the passes, with padding against bank conflicts */
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

/* The low 16 bits, signed. */
FUNCTION i32 dequantise(i32 coefficient, u32 quant)
{
    return low_half((u32)coefficient * quant);
}

FUNCTION u32 term(i32 value, i32 factor)
{
    return (u32)value * (u32)factor;
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

FUNCTION u32 sample_of(u32 sum)
{
    return (u32)saturate((i32)(sum + (1u << 17) + (128u << 18)) >> 18, 0, 255);
}

/* Dequantise and transform. Eight work-items a block: each a column, then a row. */
KERNEL(TRANSFORM_GROUP)
transform_blocks(
    GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT coefficients, GLOBAL u32x2 *RESTRICT planes)
{
    SHARED u32 tile[WORK_BLOCKS * TILE_WORDS];
    u32 first, index = find_picture(work, WORK_OF_BLOCKS, group_index(), &first);
    GLOBAL const struct work_picture *picture = picture_at(work, index);
    u32 line = local_index() % 8, block = (group_index() - first) * WORK_BLOCKS + local_index() / 8;
    u32 active = block < picture->blocks, mcu = 0, place = 0;
    LOCAL u32 *own = tile + local_index() / 8 * TILE_WORDS;
    if (active) {
        mcu = block / picture->blocks_in_mcu;
        place = picture->block_component[block % picture->blocks_in_mcu];
        u32x4 packed = coefficients[((u64)picture->block + block) * 8 + line];
        GLOBAL const u16 *quant = picture->component[place & 0xFF].quant + 8 * line;
        i32 in[8];
        u32 sums[8];
        in[0] = dequantise(low_half(packed.x), quant[0]);
        in[1] = dequantise(high_half(packed.x), quant[1]);
        in[2] = dequantise(low_half(packed.y), quant[2]);
        in[3] = dequantise(high_half(packed.y), quant[3]);
        in[4] = dequantise(low_half(packed.z), quant[4]);
        in[5] = dequantise(high_half(packed.z), quant[5]);
        in[6] = dequantise(low_half(packed.w), quant[6]);
        in[7] = dequantise(high_half(packed.w), quant[7]);
        idct_8(in, sums);
        for (u32 i = 0; i < 8; i++)
            ((LOCAL i16 *)own)[8 * i + line] = (i16)saturate((i32)(sums[i] + 1024) >> 11, -32768, 32767);
    }
    barrier_local();
    if (active) {
        GLOBAL const struct work_component *c = &picture->component[place & 0xFF];
        u32 x = mcu % picture->mcus_w * c->h + (place >> 8 & 0xFF), y = mcu / picture->mcus_w * c->v + (place >> 16);
        i32 in[8];
        u32 sums[8];
        for (u32 i = 0; i < 4; i++) {
            u32 pair = own[4 * line + i];
            in[2 * i] = low_half(pair);
            in[2 * i + 1] = high_half(pair);
        }
        idct_8(in, sums);
        u32 left = sample_of(sums[0]) | sample_of(sums[1]) << 8 | sample_of(sums[2]) << 16 | sample_of(sums[3]) << 24;
        u32 right = sample_of(sums[4]) | sample_of(sums[5]) << 8 | sample_of(sums[6]) << 16 | sample_of(sums[7]) << 24;
        planes[(u64)c->plane + (u64)(8 * y + line) * c->pitch + x] = make_u32x2(left, right);
    }
}

/* The sample of a component at a pixel, upsampled as the processor's code does it. */
FUNCTION i32 upsample(GLOBAL const struct work_component *c, GLOBAL const u8 *RESTRICT planes, u32 x, u32 y)
{
    u32 pitch = c->pitch * 8, mode = c->upsampling;
    GLOBAL const u8 *plane = planes + (u64)c->plane * 8;
    if (mode == WORK_NONE)
        return plane[(u64)y * pitch + x];
    u32 column = (u32)((u64)x * c->h_in / c->h_out), row = (u32)((u64)y * c->v_in / c->v_out);
    column = column < c->width ? column : c->width - 1;
    row = row < c->height ? row : c->height - 1;
    GLOBAL const u8 *near = plane + (u64)row * pitch;
    if (mode == WORK_REPLICATE)
        return near[column];
    u32 beside = x & 1 ? (column + 1 < c->width ? column + 1 : column) : (column > 0 ? column - 1 : 0);
    if (mode == WORK_H2V1)
        return (3 * near[column] + near[beside] + (x & 1 ? 2 : 1)) >> 2;
    u32 other = y & 1 ? (row + 1 < c->height ? row + 1 : row) : (row > 0 ? row - 1 : 0);
    GLOBAL const u8 *far = plane + (u64)other * pitch;
    if (mode == WORK_H1V2)
        return (3 * near[column] + far[column] + (y & 1 ? 2 : 1)) >> 2;
    i32 this_sum = 3 * near[column] + far[column], beside_sum = 3 * near[beside] + far[beside];
    return (3 * this_sum + beside_sum + (x & 1 ? 7 : 8)) >> 4;
}

/* Channels of a pixel, 0–255, packed: the first in the lowest byte. */
FUNCTION u32 pack(u32 a, u32 b, u32 c, u32 d)
{
    return a | b << 8 | c << 16 | d << 24;
}

FUNCTION u32 channel(u32 packed, u32 index)
{
    return packed >> (8 * index) & 0xFF;
}

/* YCbCr to RGB, red lowest (T.871); what is above is kept. */
FUNCTION u32 ycc_to_rgb(u32 packed)
{
    i32 y = (i32)channel(packed, 0), cb = (i32)channel(packed, 1) - 128, cr = (i32)channel(packed, 2) - 128;
    i32 r = y + ((91881 * cr + 32768) >> 16);
    i32 g = y + ((-22554 * cb - 46802 * cr + 32768) >> 16);
    i32 b = y + ((116130 * cb + 32768) >> 16);
    return pack((u32)saturate(r, 0, 255), (u32)saturate(g, 0, 255), (u32)saturate(b, 0, 255), packed >> 24);
}

/* Ink coded inverted: rounded c · k / 255 of each. */
FUNCTION u32 cmyk_to_rgb(u32 packed)
{
    u32 k = packed >> 24;
    return pack((2 * channel(packed, 0) * k + 255) / 510, (2 * channel(packed, 1) * k + 255) / 510,
        (2 * channel(packed, 2) * k + 255) / 510, k);
}

/* The picture's channels of a pixel. */
FUNCTION u32 convert_pixel(GLOBAL const struct work_picture *picture, GLOBAL const u8 *RESTRICT planes, u32 x, u32 y)
{
    u32 packed = 0, is_rgb = 1;
    for (u32 i = 0; i < picture->components; i++)
        packed |= (u32)upsample(&picture->component[i], planes, x, y) << (8 * i);
    switch (picture->conversion) {
    case WORK_GREY:
        packed = (packed & 0xFF) * 0x010101u;
        break;
    case WORK_YCC:
        packed = ycc_to_rgb(packed);
        break;
    case WORK_RGB_TO_GREY:
        packed = (19595 * channel(packed, 0) + 38470 * channel(packed, 1) + 7471 * channel(packed, 2) + 32768) >> 16;
        break;
    case WORK_YCCK:
        packed = ycc_to_rgb(packed) ^ 0xFFFFFF;
        is_rgb = 0;
        break;
    case WORK_CMYK_TO_RGB:
        packed = cmyk_to_rgb(packed);
        break;
    case WORK_YCCK_TO_RGB:
        packed = cmyk_to_rgb(ycc_to_rgb(packed) ^ 0xFFFFFF);
        break;
    default:
        is_rgb = picture->components < 4;
    }
    if (is_rgb && picture->channels == 4)
        packed = (packed & 0xFFFFFF) | picture->alpha << 24;
    if (picture->red == 2)
        packed = (packed & 0xFF00FF00u) | (packed & 0xFF) << 16 | (packed >> 16 & 0xFF);
    return packed;
}

FUNCTION void store_pixels(GLOBAL u32 *RESTRICT row, u32 channels, u32 plane_words, u32 at, const u32 *pixel)
{
    if (plane_words > 0) {
        for (u32 i = 0; i < channels; i++)
            row[(u64)i * plane_words + at] =
                pack(channel(pixel[0], i), channel(pixel[1], i), channel(pixel[2], i), channel(pixel[3], i));
    } else if (channels == 1) {
        row[at] = pack(channel(pixel[0], 0), channel(pixel[1], 0), channel(pixel[2], 0), channel(pixel[3], 0));
    } else if (channels == 3) {
        row[3 * at] = (pixel[0] & 0xFFFFFF) | pixel[1] << 24;
        row[3 * at + 1] = (pixel[1] >> 8 & 0xFFFF) | pixel[2] << 16;
        row[3 * at + 2] = (pixel[2] >> 16 & 0xFF) | pixel[3] << 8;
    } else {
        for (u32 i = 0; i < 4; i++)
            row[4 * at + i] = pixel[i];
    }
}

/*
 * Four pixels of a row a work-item. Rows have room for whole fours. The launch's groups are those of all pictures from
 * number `skip` on; where several buffers take the pictures, each has a launch of its own.
 */
KERNEL(CONVERT_GROUP)
convert_pixels(GLOBAL const u32 *RESTRICT work, GLOBAL const u8 *RESTRICT planes, GLOBAL u32 *RESTRICT pixels, u32 skip)
{
    u32 first, index = find_picture(work, WORK_OF_PIXELS, group_index() + skip, &first);
    GLOBAL const struct work_picture *picture = picture_at(work, index);
    u32 groups_of_row = (picture->width + WORK_PIXELS - 1) / WORK_PIXELS;
    u32 group = group_index() + skip - first, y = group / groups_of_row;
    u32 x = group % groups_of_row * WORK_PIXELS + CONVERT_PIXELS * local_index();
    u32 pixel[CONVERT_PIXELS];
    if (x >= picture->width)
        return;
    for (u32 i = 0; i < CONVERT_PIXELS; i++) {
        u32 at = x + i < picture->width ? x + i : picture->width - 1;
        pixel[i] = convert_pixel(picture, planes, picture->x + at, picture->y + y);
    }
    GLOBAL u32 *row = picture_output(picture, pixels) + (u64)y * (picture->output_pitch / 4);
    store_pixels(row, picture->channels, picture->output_plane / 4, x / 4, pixel);
}
