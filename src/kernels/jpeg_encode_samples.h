/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From pixels to a tile's samples: colour, downsampling, repeated edges, with the processor's rounding. Samples lie in
 * the work-group's memory, block by block, SAMPLE_WORDS apart.
 */
#include "jpeg_encode_tile.h"

enum { SAMPLE_WORDS = 17 }; /* of a block; one more than needed, against bank conflicts */

FUNCTION u32 least(u32 a, u32 b)
{
    return a < b ? a : b;
}

/* A channel's byte: where the buffer of pixels does not hold it, `pixels` is null and the place its address. */
FUNCTION GLOBAL const u8 *channel_row(GLOBAL const struct encode_channel *channel, GLOBAL const u32 *pixels, u32 y)
{
    u64 offset = (u64)channel->offset[1] << 32 | channel->offset[0];
    GLOBAL const u8 *base = (GLOBAL const u8 *)pixels + offset;
#if defined(__CUDACC__)
    u64 address = (u64)channel->address[1] << 32 | channel->address[0];
    if (address != 0)
        base = (const u8 *)address;
#endif
    return base + (i64)channel->pitch * (i64)y;
}

FUNCTION i32 pixel_value(GLOBAL const struct encode_picture *picture, GLOBAL const struct encode_component *component,
    GLOBAL const u32 *pixels, u32 x, u32 y)
{
    i32 sum = component->addend;
    for (u32 i = 0; i < 4; i++)
        if (component->factor[i] != 0) {
            GLOBAL const struct encode_channel *channel = &picture->channel[i];
            sum += component->factor[i] * (i32)channel_row(channel, pixels, y)[(u64)x * channel->step];
        }
    return sum >> 16;
}

/* A sample anywhere, also beyond the component's edges. */
FUNCTION u32 sample_at(GLOBAL const struct encode_picture *picture, GLOBAL const struct encode_component *component,
    GLOBAL const u32 *pixels, u32 x, u32 y)
{
    u32 sum = component->rounding + (component->alternate & x);
    y = least(y, component->rows - 1);
    for (u32 j = 0; j < component->box_h; j++)
        for (u32 i = 0; i < component->box_w; i++)
            sum += (u32)pixel_value(picture, component, pixels, least(x * component->box_w + i, component->width - 1),
                least(y * component->box_h + j, component->height - 1));
    return sum * component->part >> 16;
}

/* `count` samples of a block's row, from its sample `first` on: a multiple of 4, as the count is. */
FUNCTION void sample_run(const struct tile *tile, u32 c, GLOBAL const u32 *pixels, LOCAL u32 *samples, u32 mcu,
    u32 place, u32 row, u32 first, u32 count)
{
    GLOBAL const struct encode_picture *picture = tile->picture;
    GLOBAL const struct encode_component *component = &picture->component[c];
    u32 at = tile->first + mcu, slot = tile->mcus * component->first_block + mcu * component->h * component->v + place;
    u32 x = (at % picture->mcus_w * component->h + place % component->h) * 8 + first;
    u32 y = (at / picture->mcus_w * component->v + place / component->h) * 8 + row;
    for (u32 i = 0; i < count; i += 4) {
        u32 word = 0;
        for (u32 j = 0; j < 4; j++)
            word |= sample_at(picture, component, pixels, x + i + j, y) << (8 * j);
        samples[slot * SAMPLE_WORDS + row * 2 + (first + i) / 4] = word;
    }
}

/* Eight pixels of a row, which exist, as words: six of three bytes a pixel, eight of four. */
FUNCTION void load_pixels(
    GLOBAL const struct encode_picture *picture, GLOBAL const u32 *pixels, u32 x, u32 y, u32 *word)
{
    GLOBAL const struct encode_channel *channel = &picture->channel[0];
    GLOBAL const u8 *from = channel_row(channel, pixels, y) + (u64)x * channel->step;
    u32 words = 2 * channel->step;
    if (picture->aligned) {
        GLOBAL const u32 *wide = (GLOBAL const u32 *)(GLOBAL const void *)from;
        for (u32 i = 0; i < 8; i++)
            if (i < words)
                word[i] = wide[i];
        return;
    }
    for (u32 i = 0; i < 8; i++)
        if (i < words)
            word[i] =
                (u32)from[4 * i] | (u32)from[4 * i + 1] << 8 | (u32)from[4 * i + 2] << 16 | (u32)from[4 * i + 3] << 24;
}

/* Three bytes of the i-th of eight pixels. */
FUNCTION u32 pick_pixel(const u32 *word, u32 step, u32 i)
{
    u32 packed = 3 * i % 4 == 0
                     ? word[3 * i / 4]
                     : word[3 * i / 4] >> (3 * i % 4 * 8) | word[(3 * i / 4 + 1) % 8] << (32 - 3 * i % 4 * 8);
    return step == 3 ? packed : word[i];
}

struct weights {
    i32 factor[3];
    i32 addend;
};

FUNCTION struct weights weights_of(GLOBAL const struct encode_component *component)
{
    struct weights weights;
    for (u32 i = 0; i < 3; i++)
        weights.factor[i] = component->factor[i];
    weights.addend = component->addend;
    return weights;
}

FUNCTION u32 weigh(const struct weights *weights, u32 pixel)
{
    i32 sum = weights->addend + weights->factor[0] * (i32)(pixel & 255) + weights->factor[1] * (i32)(pixel >> 8 & 255) +
              weights->factor[2] * (i32)(pixel >> 16 & 255);
    return (u32)(sum >> 16);
}

/* Values of eight pixels, packed in two words. */
FUNCTION void weigh_eight(const struct weights *weights, const u32 *word, u32 step, u32 *out)
{
    out[0] = out[1] = 0;
    for (u32 i = 0; i < 8; i++)
        out[i / 4] |= weigh(weights, pick_pixel(word, step, i)) << (i % 4 * 8);
}

/* The sums of four pairs of eight bytes, added to `sum`. */
FUNCTION void add_pairs(const u32 *packed, u32 *sum)
{
    for (u32 i = 0; i < 4; i++)
        sum[i] += (packed[i / 2] >> (i % 2 * 16) & 255) + (packed[i / 2] >> (i % 2 * 16 + 8) & 255);
}

/* The means of boxes of two by `rows` pixels; the rounding alternates. */
FUNCTION u32 mean_pairs(const u32 *sum, u32 rows)
{
    u32 word = 0;
    for (u32 i = 0; i < 4; i++)
        word |= (rows == 2 ? (sum[i] + 1 + i % 2) >> 2 : (sum[i] + i % 2) >> 1) << (8 * i);
    return word;
}

/* The means of two bytes above each other, halves rounded up. */
FUNCTION u32 mean_columns(u32 upper, u32 lower)
{
    return (upper | lower) - (((upper ^ lower) & 0xFEFEFEFEu) >> 1);
}

/* Eight pixels by as many rows as a box has, all of which exist. `x` and `y`: of the first in its MCU. */
FUNCTION void convert_pixels(
    const struct tile *tile, GLOBAL const u32 *pixels, LOCAL u32 *samples, u32 mcu, u32 x, u32 row, u32 left, u32 top)
{
    GLOBAL const struct encode_picture *picture = tile->picture;
    u32 box_w = picture->component[1].box_w, box_h = picture->component[1].box_h, h = picture->component[0].h;
    u32 blocks = h * picture->component[0].v, step = picture->channel[0].step;
    u32 packed[3][2][2];
    struct weights weights[3];
    for (u32 c = 0; c < 3; c++)
        weights[c] = weights_of(&picture->component[c]);
    for (u32 j = 0; j < 2; j++)
        if (j < box_h) {
            u32 word[8], y = row * box_h + j;
            for (u32 i = 0; i < 8; i++)
                word[i] = 0;
            load_pixels(picture, pixels, left + x, top + y, word);
            for (u32 c = 0; c < 3; c++)
                weigh_eight(&weights[c], word, step, packed[c][j]);
            LOCAL u32 *out = samples + (mcu * blocks + y / 8 * h + x / 8) * SAMPLE_WORDS + y % 8 * 2;
            out[0] = packed[0][j][0];
            out[1] = packed[0][j][1];
        }
    for (u32 c = 1; c < 3; c++) {
        GLOBAL const struct encode_component *component = &picture->component[c];
        u32 at = x / box_w, place = row / 8 * component->h + at / 8;
        u32 slot = tile->mcus * component->first_block + mcu * component->h * component->v + place;
        LOCAL u32 *out = samples + slot * SAMPLE_WORDS + row % 8 * 2 + at % 8 / 4;
        if (box_w == 2) {
            u32 sum[4] = {0, 0, 0, 0};
            add_pairs(packed[c][0], sum);
            if (box_h == 2)
                add_pairs(packed[c][1], sum);
            out[0] = mean_pairs(sum, box_h);
        } else {
            out[0] = box_h == 2 ? mean_columns(packed[c][0][0], packed[c][1][0]) : packed[c][0][0];
            out[1] = box_h == 2 ? mean_columns(packed[c][0][1], packed[c][1][1]) : packed[c][0][1];
        }
    }
}

/* The same at the picture's edges. */
FUNCTION void convert_edge(
    const struct tile *tile, GLOBAL const u32 *pixels, LOCAL u32 *samples, u32 mcu, u32 x, u32 row)
{
    for (u32 c = 0; c < 3; c++) {
        GLOBAL const struct encode_component *component = &tile->picture->component[c];
        GLOBAL const struct encode_component *other = &tile->picture->component[1];
        u32 rows = c == 0 ? other->box_h : 1, at = c == 0 ? x : x / other->box_w;
        for (u32 j = 0; j < rows; j++) {
            u32 y = row * rows + j;
            sample_run(tile, c, pixels, samples, mcu, y / 8 * component->h + at / 8, y % 8, at % 8,
                c == 0 || other->box_w == 1 ? 8 : 4);
        }
    }
}

/* A work-item keeps to a column of eight pixels. Those beyond whole rows of columns are idle. */
FUNCTION void load_by_pixel(const struct tile *tile, GLOBAL const u32 *pixels, LOCAL u32 *samples)
{
    GLOBAL const struct encode_picture *picture = tile->picture;
    GLOBAL const struct encode_component *luma = &picture->component[0];
    u32 columns = tile->mcus * luma->h, step = ENCODE_BLOCKS / columns;
    u32 column = local_index() % columns, row = local_index() / columns;
    u32 mcu = column / luma->h, x = column % luma->h * 8, at = tile->first + mcu;
    u32 box_h = picture->component[1].box_h, rows = 8 * luma->v / box_h;
    u32 left = at % picture->mcus_w * luma->h * 8, top = at / picture->mcus_w * luma->v * 8;
    for (; row < rows && row < step * rows; row += step) {
        if (local_index() >= step * columns)
            break;
        if (left + x + 8 <= luma->width && top + (row + 1) * box_h <= luma->height)
            convert_pixels(tile, pixels, samples, mcu, x, row, left, top);
        else
            convert_edge(tile, pixels, samples, mcu, x, row);
    }
}

FUNCTION void load_by_sample(const struct tile *tile, GLOBAL const u32 *pixels, LOCAL u32 *samples)
{
    GLOBAL const struct encode_picture *picture = tile->picture;
    for (u32 i = local_index(); i < tile->mcus * picture->mcu_blocks * 8; i += ENCODE_BLOCKS) {
        struct block block = find_block(tile, i / 8);
        sample_run(tile, block.component, pixels, samples, block.mcu, block.place, i % 8, 0, 8);
    }
}

/* Those of all blocks, also of the ones that pad MCUs. */
FUNCTION void load_samples(const struct tile *tile, GLOBAL const u32 *pixels, LOCAL u32 *samples)
{
    if (tile->picture->loading == ENCODE_BY_PIXEL)
        load_by_pixel(tile, pixels, samples);
    else
        load_by_sample(tile, pixels, samples);
}

/*
 * The DC coefficients before the tile, of each component, times 8 and not quantised: sums of samples. `sums` holds 0
 * for each. Nothing where the tile starts an interval.
 */
FUNCTION void sum_before(const struct tile *tile, GLOBAL const u32 *pixels, LOCAL u32 *sums)
{
    GLOBAL const struct encode_picture *picture = tile->picture;
    u32 mcu = tile->first - 1, at = local_index() % 64;
    for (u32 c = local_index() / 64; c < picture->components && !tile->starts; c += ENCODE_BLOCKS / 64) {
        GLOBAL const struct encode_component *component = &picture->component[c];
        u32 place = last_real(picture, component, mcu, component->h * component->v);
        u32 x = (mcu % picture->mcus_w * component->h + place % component->h) * 8 + at % 8;
        u32 y = (mcu / picture->mcus_w * component->v + place / component->h) * 8 + at / 8;
        count_up_local(sums + c, sample_at(picture, component, pixels, x, y));
    }
}
