/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns samples into pixels for any sampling and any colours, in the integer arithmetic of the CPU's code. Pictures
 * that tiles.h can convert are left to it.
 */
#include "jpeg/kernels/tiles.h"
#include "jpeg/tables/colour.h"
#include "jpeg/tables/upsampling.h"

enum {
    CONVERT_GROUP = WORK_CONVERT_GROUP,
    CONVERT_PIXELS = WORK_PIXELS / CONVERT_GROUP /* pixels of a work-item: 4 */
};

/* Holds the rows of a component's samples from which a line is made; `odd` says that the farther row lies below. */
struct line_source {
    GLOBAL const u8 *near, *far;
    u32 odd;
};

FUNCTION struct line_source find_line(
    GLOBAL const struct jpeg_work_component *c, GLOBAL const u32x4 *RESTRICT planes, u32 y)
{
    struct line_source result;
    u32 row = y, other;
    if (c->upsampling == JPEG_REPLICATE)
        row = y * c->v_in / c->v_out;
    else if (c->upsampling == JPEG_UPSAMPLE_H1V2 || c->upsampling == JPEG_UPSAMPLE_H2V2)
        row = y / 2;
    row = row < c->height ? row : c->height - 1;
    other = y & 1 ? (row + 1 < c->height ? row + 1 : row) : (row > 0 ? row - 1 : 0);
    result.near = (GLOBAL const u8 *)row_at(c, planes, row);
    result.far = (GLOBAL const u8 *)row_at(c, planes, other);
    result.odd = y & 1;
    return result;
}

/* Return the value of a component at a pixel, upsampled as the CPU's code does it. Ratios are at most 32. */
FUNCTION u32 upsample(GLOBAL const struct jpeg_work_component *c, const struct line_source *line, u32 x)
{
    u32 mode = c->upsampling, last = c->width - 1;
    if (mode == JPEG_UPSAMPLE_NONE)
        return line->near[x];
    if (mode == JPEG_UPSAMPLE_H1V2)
        return (3 * line->near[x] + line->far[x] + (line->odd ? 2 : 1)) >> 2;
    u32 column = mode == JPEG_REPLICATE ? x * c->h_in / c->h_out : x / 2;
    column = column < last ? column : last;
    if (mode == JPEG_REPLICATE)
        return line->near[column];
    u32 beside = x & 1 ? (column < last ? column + 1 : last) : (column > 0 ? column - 1 : 0);
    if (mode == JPEG_UPSAMPLE_H2V1)
        return (3 * line->near[column] + line->near[beside] + (x & 1 ? 2 : 1)) >> 2;
    u32 sum = 3 * line->near[column] + line->far[column], beside_sum = 3 * line->near[beside] + line->far[beside];
    return (3 * sum + beside_sum + (x & 1 ? 7 : 8)) >> 4;
}

/* Pack the channels of a pixel, 0–255, with the first in the lowest byte. */
FUNCTION u32 pack(u32 a, u32 b, u32 c, u32 d)
{
    return a | b << 8 | c << 16 | d << 24;
}

/* Convert YCbCr to RGB. The byte above the three channels is kept. */
FUNCTION u32 ycc_to_rgb(u32 packed)
{
    return ycc_pixel(byte_of(packed, 0), byte_of(packed, 1), byte_of(packed, 2)) | (packed & 0xFF000000u);
}

/* Convert ink that is coded inverted: each channel becomes c · k / 255, rounded. */
FUNCTION u32 cmyk_to_rgb(u32 packed)
{
    u32 k = packed >> 24;
    return pack((2 * byte_of(packed, 0) * k + 255) / 510, (2 * byte_of(packed, 1) * k + 255) / 510,
        (2 * byte_of(packed, 2) * k + 255) / 510, k);
}

/* Make the output channels of a pixel from its components; the first of either is in the lowest byte. */
FUNCTION u32 convert_pixel(GLOBAL const struct jpeg_work_picture *picture, u32 packed)
{
    u32 is_rgb = 1;
    switch (picture->conversion) {
    case WORK_GREY:
        packed = (packed & 0xFF) * 0x010101u;
        break;
    case WORK_YCC:
        packed = ycc_to_rgb(packed);
        break;
    case WORK_RGB_TO_GREY:
        packed = (YCC_Y_RED * byte_of(packed, 0) + YCC_Y_GREEN * byte_of(packed, 1) + YCC_Y_BLUE * byte_of(packed, 2) +
                     32768) >>
                 16;
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
                pack(byte_of(pixel[0], i), byte_of(pixel[1], i), byte_of(pixel[2], i), byte_of(pixel[3], i));
    } else if (channels == 1) {
        row[at] = pack(byte_of(pixel[0], 0), byte_of(pixel[1], 0), byte_of(pixel[2], 0), byte_of(pixel[3], 0));
    } else if (channels == 3) {
        row[3 * at] = (pixel[0] & 0xFFFFFF) | pixel[1] << 24;
        row[3 * at + 1] = (pixel[1] >> 8 & 0xFFFF) | pixel[2] << 16;
        row[3 * at + 2] = (pixel[2] >> 16 & 0xFF) | pixel[3] << 8;
    } else {
        for (u32 i = 0; i < 4; i++)
            row[4 * at + i] = pixel[i];
    }
}

/* Store four pixels whose samples are floating-point numbers. */
OUTLINED void store_pixels_of_numbers(
    GLOBAL const struct jpeg_work_picture *picture, struct number_rows rows, GLOBAL u8 *row, u32 at, u32x4 p)
{
    u32 channels = picture->channels, together = rows.plane > 0 ? 1 : channels;
    for (u32 i = 0; i < channels; i++) {
        u32 word = pack(byte_of(p.x, i), byte_of(p.y, i), byte_of(p.z, i), byte_of(p.w, i));
        if (together == 3)
            word = i == 0   ? (p.x & 0xFFFFFF) | p.y << 24
                   : i == 1 ? (p.y >> 8 & 0xFFFF) | p.z << 16
                            : (p.z >> 16 & 0xFF) | p.w << 8;
        else if (together == 4)
            word = i == 0 ? p.x : i == 1 ? p.y : i == 2 ? p.z : p.w;
        if (together == 1)
            store_numbers(picture, rows, row + (u64)i * rows.plane, at, word, i, 1);
        else
            store_numbers(picture, rows, row, channels * at + i, word, 4 * i % channels, channels);
    }
}

/*
 * Convert pixels, four of a row by each work-item. Rows have room for a multiple of four pixels. The groups of a launch
 * are those of all pictures from number `skip` on; if pictures go to several buffers, each buffer has a launch of its
 * own.
 */
KERNEL(CONVERT_GROUP)
convert_pixels(
    GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT planes, GLOBAL u32 *RESTRICT pixels, u32 skip)
{
    SHARED u32 tile[WORK_PIXELS]; /* an array that is indexed by a variable would not stay in registers */
    u32 first, index = find_picture(work, WORK_OF_PIXELS, group_index() + skip, &first);
    GLOBAL const struct jpeg_work_picture *picture = picture_at(work, index);
    u32 groups_of_row = (picture->width + WORK_PIXELS - 1) / WORK_PIXELS;
    u32 group = group_index() + skip - first, y = group / groups_of_row;
    u32 x = group % groups_of_row * WORK_PIXELS + CONVERT_PIXELS * local_index();
    u32 pixel[CONVERT_PIXELS];
    LOCAL u32 *own = tile + local_index();
    if (x >= picture->width)
        return;
    for (u32 i = 0; i < picture->components; i++) {
        GLOBAL const struct jpeg_work_component *c = &picture->component[i];
        struct line_source line = find_line(c, planes, picture->y + y);
        for (u32 j = 0; j < CONVERT_PIXELS; j++) {
            u32 at = x + j < picture->width ? x + j : picture->width - 1, others = i > 0 ? own[j * CONVERT_GROUP] : 0;
            own[j * CONVERT_GROUP] = others | upsample(c, &line, picture->x + at) << (8 * i);
        }
    }
    UNROLL for (u32 j = 0; j < CONVERT_PIXELS; j++) pixel[j] = convert_pixel(picture, own[j * CONVERT_GROUP]);
    GLOBAL u32 *out = picture_output(picture, pixels), *row = out + (u64)y * (picture->output_pitch / 4);
    struct number_rows rows = {picture->sample, picture->width, picture->output_plane};
    if (rows.sample != WORK_BYTES)
        store_pixels_of_numbers(picture, rows, (GLOBAL u8 *)out + (u64)y * picture->output_pitch, x / 4,
            make_u32x4(pixel[0], pixel[1], pixel[2], pixel[3]));
    else
        store_pixels(row, picture->channels, picture->output_plane / 4, x / 4, pixel);
}
