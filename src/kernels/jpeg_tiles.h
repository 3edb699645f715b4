/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From samples to pixels for what most pictures are: one component, or three with the first at full size and the others
 * alike, at full size, half the width or half of both. Eight pixels at a time, whose values travel two in a word.
 */
#include "jpeg_transform.h"

enum {
    TILES_GROUP = WORK_CONVERT_GROUP,
    TILE_STRIDE = 32 * 8,           /* words in local memory for a row of pixels, up to four bytes each */
    TILE_STRIPE = TILES_GROUP / 32, /* rows made at once */
    PAIRS = 0x00FF00FF
};

/* Eight pixels' values of a component: pixel i in the low half of pair[i], pixel 4 + i in the high half. */
struct eight {
    u32 pair[4];
};

FUNCTION u32 byte_of(u32 word, u32 index)
{
    return word >> (8 * index) & 0xFF;
}

FUNCTION struct eight spread(u32x2 samples)
{
    struct eight result;
    UNROLL for (u32 i = 0; i < 4; i++) result.pair[i] = byte_of(samples.x, i) | byte_of(samples.y, i) << 16;
    return result;
}

/* Four samples and their neighbours: the first and third, the second and fourth in one word. */
struct four {
    u32 even, odd, left, right;
};

/* From a row of `count` samples, those from `at` on, a multiple of 4. What is outside is as its neighbour. */
FUNCTION struct four load_four(GLOBAL const u32x4 *RESTRICT row, u32 at, u32 count)
{
    struct four result;
    GLOBAL const u8 *samples = (GLOBAL const u8 *)row;
    u32 word = ((GLOBAL const u32 *)row)[at / 4];
    result.left = samples[at > 0 ? at - 1 : 0];
    result.right = samples[at + 4 < count ? at + 4 : count - 1];
    if (at + 4 > count) {
        u32 kept = (1u << 8 * (count - at)) - 1;
        word = (word & kept) | (result.right * 0x01010101u & ~kept);
    }
    result.even = word & PAIRS;
    result.odd = word >> 8 & PAIRS;
    return result;
}

/* The triangle filter to twice the width; `lower`, `upper`: what is added for rounding to even and odd pixels. */
FUNCTION struct eight widen(struct four s, u32 lower, u32 upper, u32 shift)
{
    struct eight result;
    lower *= 0x00010001;
    upper *= 0x00010001;
    result.pair[0] = (3 * s.even + (s.odd << 16 | s.left) + lower) >> shift & PAIRS;
    result.pair[1] = (3 * s.even + s.odd + upper) >> shift & PAIRS;
    result.pair[2] = (3 * s.odd + s.even + lower) >> shift & PAIRS;
    result.pair[3] = (3 * s.odd + (s.even >> 16 | s.right << 16) + upper) >> shift & PAIRS;
    return result;
}

FUNCTION GLOBAL const u32x4 *row_at(GLOBAL const struct work_component *c, GLOBAL const u32x4 *RESTRICT planes, u32 y)
{
    return planes + c->plane + (u64)y * c->pitch;
}

FUNCTION u32x2 load_eight(GLOBAL const struct work_component *c, GLOBAL const u32x4 *RESTRICT planes, u32 x, u32 y)
{
    return ((GLOBAL const u32x2 *)row_at(c, planes, y))[x / 8];
}

/* A component at the pixels x … x + 7 of a line, x a multiple of 8. */
FUNCTION struct eight upsample_eight(
    GLOBAL const struct work_component *c, GLOBAL const u32x4 *RESTRICT planes, u32 x, u32 y)
{
    u32 count = c->width;
    if (c->upsampling == WORK_NONE)
        return spread(load_eight(c, planes, x, y));
    if (c->upsampling == WORK_H2V1)
        return widen(load_four(row_at(c, planes, y), x / 2, count), 1, 2, 2);
    u32 row = y / 2 < c->height ? y / 2 : c->height - 1;
    u32 other = y & 1 ? (row + 1 < c->height ? row + 1 : row) : (row > 0 ? row - 1 : 0);
    struct four near = load_four(row_at(c, planes, row), x / 2, count);
    struct four far = load_four(row_at(c, planes, other), x / 2, count);
    near.even = 3 * near.even + far.even;
    near.odd = 3 * near.odd + far.odd;
    near.left = 3 * near.left + far.left;
    near.right = 3 * near.right + far.right;
    return widen(near, 8, 7, 4);
}

/* The value 0–255 of a sum in 16-bit fixed point. */
FUNCTION u32 channel_of(i32 sum)
{
    return (u32)saturate(sum >> 16, 0, 255);
}

/* YCbCr to RGB (T.871), red in the lowest byte. */
FUNCTION u32 ycc_pixel(u32 luma, u32 cb, u32 cr)
{
    i32 y = (i32)(luma << 16) + 32768, b = (i32)cb, r = (i32)cr;
    u32 red = channel_of(91881 * r + (y - 91881 * 128));
    u32 green = channel_of(-22554 * b - 46802 * r + (y + (22554 + 46802) * 128));
    u32 blue = channel_of(116130 * b + (y - 116130 * 128));
    return red | green << 8 | blue << 16;
}

/* The first and the third byte change places; the fourth is 0. */
FUNCTION u32 swap_ends(u32 pixel)
{
    return (pixel & 0xFF00) | pixel >> 16 | (pixel & 0xFF) << 16;
}

/* Eight pixels of three channels, the first in the lowest byte. */
FUNCTION void make_pixels(
    GLOBAL const struct work_picture *picture, GLOBAL const u32x4 *RESTRICT planes, u32 x, u32 y, u32 *pixel)
{
    GLOBAL const struct work_component *c = picture->component;
    u32x2 first = load_eight(c, planes, x, y);
    if (picture->components == 1) {
        UNROLL for (u32 i = 0; i < 4; i++)
        {
            pixel[i] = byte_of(first.x, i) * 0x010101;
            pixel[4 + i] = byte_of(first.y, i) * 0x010101;
        }
        return;
    }
    struct eight second = upsample_eight(c + 1, planes, x, y), third = upsample_eight(c + 2, planes, x, y);
    if (picture->conversion == WORK_YCC) {
        UNROLL for (u32 i = 0; i < 4; i++)
        {
            pixel[i] = ycc_pixel(byte_of(first.x, i), second.pair[i] & 0xFFFF, third.pair[i] & 0xFFFF);
            pixel[4 + i] = ycc_pixel(byte_of(first.y, i), second.pair[i] >> 16, third.pair[i] >> 16);
        }
    } else {
        UNROLL for (u32 i = 0; i < 4; i++)
        {
            pixel[i] = byte_of(first.x, i) | (second.pair[i] & 0xFFFF) << 8 | third.pair[i] << 16;
            pixel[4 + i] = byte_of(first.y, i) | second.pair[i] >> 16 << 8 | (third.pair[i] & 0xFFFF0000u);
        }
    }
    if (picture->red > 0) {
        UNROLL for (u32 i = 0; i < 8; i++) pixel[i] = swap_ends(pixel[i]);
    }
}

/* Channel `index` of four pixels. */
FUNCTION u32 gather(const u32 *pixel, u32 index)
{
    return byte_of(pixel[0], index) | byte_of(pixel[1], index) << 8 | byte_of(pixel[2], index) << 16 |
           byte_of(pixel[3], index) << 24;
}

/* Put eight pixels where the row of the tile wants them: planes 64 words from each other, or interleaved. */
FUNCTION void place_pixels(GLOBAL const struct work_picture *picture, const u32 *pixel, u32 lane, LOCAL u32x4 *row)
{
    if (picture->output_plane > 0 || picture->channels == 1) {
        for (u32 i = 0; i < picture->channels; i++)
            ((LOCAL u32x2 *)row)[32 * i + lane] = make_u32x2(gather(pixel, i), gather(pixel + 4, i));
    } else if (picture->channels == 3) {
        LOCAL u32x2 *out = (LOCAL u32x2 *)row + 3 * lane;
        out[0] = make_u32x2(pixel[0] | pixel[1] << 24, pixel[1] >> 8 | pixel[2] << 16);
        out[1] = make_u32x2(pixel[2] >> 16 | pixel[3] << 8, pixel[4] | pixel[5] << 24);
        out[2] = make_u32x2(pixel[5] >> 8 | pixel[6] << 16, pixel[6] >> 16 | pixel[7] << 8);
    } else {
        u32 alpha = picture->alpha << 24;
        LOCAL u32x4 *out = row + 2 * lane;
        out[0] = make_u32x4(pixel[0] | alpha, pixel[1] | alpha, pixel[2] | alpha, pixel[3] | alpha);
        out[1] = make_u32x4(pixel[4] | alpha, pixel[5] | alpha, pixel[6] | alpha, pixel[7] | alpha);
    }
}

/* A row of the tile to the output, from pixel x on, a multiple of 8. Lanes store neighbouring words. */
FUNCTION void store_row(
    GLOBAL const struct work_picture *picture, LOCAL const u32 *row, u32 lane, u32 x, GLOBAL u32 *RESTRICT out)
{
    u32 channels = picture->channels, fours = (picture->width + 3) / 4 - x / 4;
    u32 plane = picture->output_plane / 4;
    if (plane > 0) {
        out += x / 4;
        for (u32 i = 0; i < channels; i++, row += 64, out += plane) {
            if (lane < fours)
                out[lane] = row[lane];
            if (lane + 32 < fours)
                out[lane + 32] = row[lane + 32];
        }
        return;
    }
    u32 words = fours * channels < 64 * channels ? fours * channels : 64 * channels;
    out += x / 4 * channels;
    for (u32 i = lane; i < words; i += 32)
        out[i] = row[i];
}

/* A tile of the picture. Launched as convert_pixels. */
KERNEL(TILES_GROUP)
convert_tiles(
    GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT planes, GLOBAL u32 *RESTRICT pixels, u32 skip)
{
    SHARED u32x4 tile[WORK_TILE_HEIGHT * TILE_STRIDE / 4];
    u32 first, index = find_picture(work, WORK_OF_TILES, group_index() + skip, &first);
    GLOBAL const struct work_picture *picture = picture_at(work, index);
    u32 tiles_w = (picture->width + WORK_TILE_WIDTH - 1) / WORK_TILE_WIDTH, lane = local_index() % 32;
    u32 group = group_index() + skip - first, down = group / tiles_w;
    u32 left = (group - down * tiles_w) * WORK_TILE_WIDTH, x = left + 8 * lane;
    u32 top = down * WORK_TILE_HEIGHT, from = local_index() / 32;
    u32 rows = picture->height - top < WORK_TILE_HEIGHT ? picture->height - top : WORK_TILE_HEIGHT;
    for (u32 i = from; i < rows && x < picture->width; i += TILE_STRIPE) {
        u32 pixel[8];
        make_pixels(picture, planes, picture->x + x, picture->y + top + i, pixel);
        place_pixels(picture, pixel, lane, tile + i * TILE_STRIDE / 4);
    }
    barrier_local();
    GLOBAL u32 *out = picture_output(picture, pixels);
    u32 pitch = picture->output_pitch / 4;
    for (u32 i = from; i < rows; i += TILE_STRIPE)
        store_row(picture, (LOCAL const u32 *)tile + i * TILE_STRIDE, lane, left, out + (u64)(top + i) * pitch);
}
