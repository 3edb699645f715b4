/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns samples into pixels for the usual pictures: those of one component, and those of three of which the first has
 * full size and the others are alike: of full size, half the width, or half the width and height. A work-item makes
 * sixteen pixels of a line, whose values are kept two in a word.
 */
#include "jpeg/kernels/normal.h"
#include "jpeg/kernels/transform.h"
#include "jpeg/tables/colour.h"
#include "jpeg/tables/upsampling.h"

enum {
    TILES_GROUP = WORK_CONVERT_GROUP,
    TILE_PIXELS = 16,                           /* pixels of a work-item */
    TILE_LANES = WORK_TILE_WIDTH / TILE_PIXELS, /* work-items on a line */
    TILE_STEP = TILES_GROUP / TILE_LANES,       /* lines made at once */
    /* Distance of lines in the work-group's memory, in units of 16 bytes; four bytes a pixel. */
    TILE_STRIDE = WORK_TILE_WIDTH / 4,
    STORE_STEP = TILES_GROUP / 32, /* lines stored at once */
    PAIRS = 0x00FF00FF
};

/* Holds the values of eight pixels of a component: pixel i in the low half of pair[i], pixel 4 + i in the high half. */
struct eight {
    u32 pair[4];
};

struct sixteen {
    struct eight left, right;
};

FUNCTION u32 byte_of(u32 word, u32 index)
{
    return word >> (8 * index) & 0xFF;
}

FUNCTION struct eight spread(u32 first, u32 second)
{
    struct eight result;
    UNROLL for (u32 i = 0; i < 4; i++) result.pair[i] = byte_of(first, i) | byte_of(second, i) << 16;
    return result;
}

/*
 * Holds eight samples and their neighbours. `even` holds the first and third sample of each word, `odd` the second and
 * fourth.
 */
struct samples {
    u32 even[2], odd[2], before, behind;
};

/*
 * Holds the place of eight samples in a row, and a mask of those that exist; a sample outside the row repeats its
 * neighbour.
 */
struct columns {
    u32 at, before, behind, kept[2];
};

/*
 * Find the samples, each of which is as wide as two pixels, for the pixels from x (a multiple of 16) on; the row has
 * `count` samples.
 */
FUNCTION struct columns find_columns(u32 x, u32 count)
{
    struct columns result;
    u32 at = x / 2, left = count - at;
    result.at = at;
    result.before = at > 0 ? at - 1 : 0;
    result.behind = left > 8 ? at + 8 : count - 1;
    result.kept[0] = left >= 4 ? 0xFFFFFFFFu : (1u << (8 * left & 31)) - 1;
    result.kept[1] = left >= 8 ? 0xFFFFFFFFu : left <= 4 ? 0 : (1u << (8 * left & 31)) - 1;
    return result;
}

FUNCTION struct samples load_samples(GLOBAL const u32x4 *row, const struct columns *columns)
{
    struct samples result;
    u32x2 words = ((GLOBAL const u32x2 *)row)[columns->at / 8];
    result.before = ((GLOBAL const u8 *)row)[columns->before];
    result.behind = ((GLOBAL const u8 *)row)[columns->behind];
    u32 beyond = result.behind * 0x01010101u;
    u32 first = (words.x & columns->kept[0]) | (beyond & ~columns->kept[0]);
    u32 second = (words.y & columns->kept[1]) | (beyond & ~columns->kept[1]);
    result.even[0] = first & PAIRS;
    result.odd[0] = first >> 8 & PAIRS;
    result.even[1] = second & PAIRS;
    result.odd[1] = second >> 8 & PAIRS;
    return result;
}

/* Add three times the samples of the nearer row and those of the farther row. */
FUNCTION void add_far(struct samples *near, const struct samples *far)
{
    UNROLL for (u32 i = 0; i < 2; i++)
    {
        near->even[i] = 3 * near->even[i] + far->even[i];
        near->odd[i] = 3 * near->odd[i] + far->odd[i];
    }
    near->before = 3 * near->before + far->before;
    near->behind = 3 * near->behind + far->behind;
}

/*
 * Apply the triangle filter, which makes eight values from four samples. `lower` and `upper` are added for rounding to
 * even and odd pixels.
 */
FUNCTION struct eight widen_four(u32 even, u32 odd, u32 before, u32 behind, u32 lower, u32 upper, u32 shift)
{
    struct eight result;
    lower *= 0x00010001;
    upper *= 0x00010001;
    result.pair[0] = (3 * even + (odd << 16 | before) + lower) >> shift & PAIRS;
    result.pair[1] = (3 * even + odd + upper) >> shift & PAIRS;
    result.pair[2] = (3 * odd + even + lower) >> shift & PAIRS;
    result.pair[3] = (3 * odd + (even >> 16 | behind << 16) + upper) >> shift & PAIRS;
    return result;
}

FUNCTION struct sixteen widen(const struct samples *s, u32 lower, u32 upper, u32 shift)
{
    struct sixteen result;
    result.left = widen_four(s->even[0], s->odd[0], s->before, s->even[1] & 0xFFFF, lower, upper, shift);
    result.right = widen_four(s->even[1], s->odd[1], s->odd[0] >> 16, s->behind, lower, upper, shift);
    return result;
}

FUNCTION GLOBAL const u32x4 *row_at(
    GLOBAL const struct jpeg_work_component *c, GLOBAL const u32x4 *RESTRICT planes, u32 y)
{
    return planes + c->plane + (u64)y * c->pitch;
}

/* Holds the rows of a component from which line y is made. */
struct rows {
    u32 near, far;
};

FUNCTION struct rows find_rows(GLOBAL const struct jpeg_work_component *c, u32 y)
{
    struct rows result;
    result.near = y;
    result.far = y;
    if (c->upsampling == JPEG_UPSAMPLE_H2V2) {
        result.near = y / 2 < c->height ? y / 2 : c->height - 1;
        result.far = y & 1 ? (result.near + 1 < c->height ? result.near + 1 : result.near)
                           : (result.near > 0 ? result.near - 1 : 0);
    }
    return result;
}

/*
 * Return the values of a component at the pixels x … x + 15 of a line. Columns and rows are the same for both chroma
 * components.
 */
FUNCTION struct sixteen upsample_sixteen(GLOBAL const struct jpeg_work_component *c,
    GLOBAL const u32x4 *RESTRICT planes, const struct columns *columns, struct rows rows, u32 x)
{
    if (c->upsampling == JPEG_UPSAMPLE_NONE) {
        u32x4 words = row_at(c, planes, rows.near)[x / 16];
        struct sixteen result;
        result.left = spread(words.x, words.y);
        result.right = spread(words.z, words.w);
        return result;
    }
    struct samples samples = load_samples(row_at(c, planes, rows.near), columns);
    if (c->upsampling == JPEG_UPSAMPLE_H2V1)
        return widen(&samples, 1, 2, 2);
    struct samples far = load_samples(row_at(c, planes, rows.far), columns);
    add_far(&samples, &far);
    return widen(&samples, 8, 7, 4);
}

/* Convert YCbCr to RGB (T.871), red in the lowest byte. Chroma is 0…255, with 128 for none. */
FUNCTION u32 ycc_pixel(u32 luma, u32 cb, u32 cr)
{
    i32 y = (i32)(luma << 16) + 32768, b = (i32)cb - 128, r = (i32)cr - 128;
    return pack_bytes(
        (y + YCC_RED_CR * r) >> 16, (y - YCC_GREEN_CB * b - YCC_GREEN_CR * r) >> 16, (y + YCC_BLUE_CB * b) >> 16, 0);
}

/* Swap the first and the third byte; the fourth becomes 0. */
FUNCTION u32 swap_ends(u32 pixel)
{
    return (pixel & 0xFF00) | pixel >> 16 | (pixel & 0xFF) << 16;
}

/*
 * Make eight pixels of three channels, the first in the lowest byte. The values of the first component come in two
 * words.
 */
FUNCTION void make_pixels(GLOBAL const struct jpeg_work_picture *picture, u32 first, u32 second, const struct eight *b,
    const struct eight *c, u32 *pixel)
{
    if (picture->components == 1) {
        UNROLL for (u32 i = 0; i < 4; i++)
        {
            pixel[i] = byte_of(first, i) * 0x010101;
            pixel[4 + i] = byte_of(second, i) * 0x010101;
        }
        return;
    }
    if (picture->conversion == WORK_YCC) {
        UNROLL for (u32 i = 0; i < 4; i++)
        {
            pixel[i] = ycc_pixel(byte_of(first, i), b->pair[i] & 0xFFFF, c->pair[i] & 0xFFFF);
            pixel[4 + i] = ycc_pixel(byte_of(second, i), b->pair[i] >> 16, c->pair[i] >> 16);
        }
    } else {
        UNROLL for (u32 i = 0; i < 4; i++)
        {
            pixel[i] = byte_of(first, i) | (b->pair[i] & 0xFFFF) << 8 | c->pair[i] << 16;
            pixel[4 + i] = byte_of(second, i) | b->pair[i] >> 16 << 8 | (c->pair[i] & 0xFFFF0000u);
        }
    }
    if (picture->red > 0) {
        UNROLL for (u32 i = 0; i < 8; i++) pixel[i] = swap_ends(pixel[i]);
    }
}

/* Collect channel `index` of four pixels. */
FUNCTION u32 gather(const u32 *pixel, u32 index)
{
    return byte_of(pixel[0], index) | byte_of(pixel[1], index) << 8 | byte_of(pixel[2], index) << 16 |
           byte_of(pixel[3], index) << 24;
}

/* Store sixteen pixels in a line of the tile: planes 64 words apart, or interleaved. */
FUNCTION void place_pixels(GLOBAL const struct jpeg_work_picture *picture, const u32 *p, u32 lane, LOCAL u32x4 *line)
{
    if (picture->output_plane > 0 || picture->channels == 1) {
        for (u32 i = 0; i < picture->channels; i++)
            line[TILE_LANES * i + lane] =
                make_u32x4(gather(p, i), gather(p + 4, i), gather(p + 8, i), gather(p + 12, i));
    } else if (picture->channels == 3) {
        line[3 * lane] =
            make_u32x4(p[0] | p[1] << 24, p[1] >> 8 | p[2] << 16, p[2] >> 16 | p[3] << 8, p[4] | p[5] << 24);
        line[3 * lane + 1] =
            make_u32x4(p[5] >> 8 | p[6] << 16, p[6] >> 16 | p[7] << 8, p[8] | p[9] << 24, p[9] >> 8 | p[10] << 16);
        line[3 * lane + 2] = make_u32x4(
            p[10] >> 16 | p[11] << 8, p[12] | p[13] << 24, p[13] >> 8 | p[14] << 16, p[14] >> 16 | p[15] << 8);
    } else {
        u32 alpha = picture->alpha << 24;
        UNROLL for (u32 i = 0; i < 4; i++) line[4 * lane + i] =
            make_u32x4(p[4 * i] | alpha, p[4 * i + 1] | alpha, p[4 * i + 2] | alpha, p[4 * i + 3] | alpha);
    }
}

/* Make sixteen pixels of line y, which is counted in the picture's wanted MCUs, and store them in the tile. */
FUNCTION void make_line(GLOBAL const struct jpeg_work_picture *picture, GLOBAL const u32x4 *RESTRICT planes, u32 x,
    u32 y, u32 lane, LOCAL u32x4 *line)
{
    GLOBAL const struct jpeg_work_component *c = picture->component;
    u32x4 first = row_at(c, planes, y)[x / 16];
    struct sixteen second, third;
    u32 pixel[16];
    second.left = second.right = third.left = third.right = spread(0, 0);
    if (picture->components > 1) {
        struct columns columns = find_columns(x, c[1].width);
        struct rows rows = find_rows(c + 1, y);
        second = upsample_sixteen(c + 1, planes, &columns, rows, x);
        third = upsample_sixteen(c + 2, planes, &columns, rows, x);
    }
    make_pixels(picture, first.x, first.y, &second.left, &third.left, pixel);
    make_pixels(picture, first.z, first.w, &second.right, &third.right, pixel + 8);
    place_pixels(picture, pixel, lane, line);
}

/* Copy a line of the tile to the output, from pixel x on. Neighbouring lanes store neighbouring words. */
FUNCTION void store_line(
    GLOBAL const struct jpeg_work_picture *picture, LOCAL const u32 *line, u32 lane, u32 x, GLOBAL u32 *RESTRICT out)
{
    u32 channels = picture->channels, fours = (picture->width + 3) / 4 - x / 4;
    u32 plane = picture->output_plane / 4;
    if (plane > 0) {
        out += x / 4;
        for (u32 i = 0; i < channels; i++, line += 64, out += plane) {
            if (lane < fours)
                out[lane] = line[lane];
            if (lane + 32 < fours)
                out[lane + 32] = line[lane + 32];
        }
        return;
    }
    u32 words = (fours < 64 ? fours : 64) * channels;
    out += x / 4 * channels + lane;
    UNROLL for (u32 i = 0; i < 8; i++) if (lane + 32 * i < words) out[32 * i] = line[lane + 32 * i];
}

/* Convert a tile of a picture. It is launched like convert_pixels. */
KERNEL(TILES_GROUP)
convert_tiles(
    GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT planes, GLOBAL u32 *RESTRICT pixels, u32 skip)
{
    SHARED u32x4 tile[WORK_TILE_HEIGHT * TILE_STRIDE];
    u32 first, index = find_picture(work, WORK_OF_TILES, group_index() + skip, &first);
    GLOBAL const struct jpeg_work_picture *picture = picture_at(work, index);
    u32 tiles_w = (picture->width + WORK_TILE_WIDTH - 1) / WORK_TILE_WIDTH, lane = local_index() % TILE_LANES;
    u32 group = group_index() + skip - first, down = group / tiles_w;
    u32 left = (group - down * tiles_w) * WORK_TILE_WIDTH, x = left + TILE_PIXELS * lane;
    u32 top = down * WORK_TILE_HEIGHT;
    u32 lines = picture->height - top < WORK_TILE_HEIGHT ? picture->height - top : WORK_TILE_HEIGHT;
    for (u32 i = local_index() / TILE_LANES; i < lines && x < picture->width; i += TILE_STEP)
        make_line(picture, planes, picture->x + x, picture->y + top + i, lane, tile + i * TILE_STRIDE);
    barrier_local();
    GLOBAL u32 *out = picture_output(picture, pixels);
    u32 pitch = picture->output_pitch / 4;
    if (picture->sample != WORK_BYTES) {
        for (u32 i = local_index() / 32; i < lines; i += STORE_STEP)
            store_line_of_numbers(picture, (LOCAL const u32 *)(tile + i * TILE_STRIDE), local_index() % 32, left,
                (GLOBAL u8 *)out + (u64)(top + i) * picture->output_pitch);
        return;
    }
    for (u32 i = local_index() / 32; i < lines; i += STORE_STEP)
        store_line(picture, (LOCAL const u32 *)(tile + i * TILE_STRIDE), local_index() % 32, left,
            out + (u64)(top + i) * pitch);
}
