/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From pixels to a tile's samples: colour, downsampling, repeated edges, with the processor's rounding. Samples lie in
 * the work-group's memory, block by block, BLOCK_WORDS apart.
 */
#include "jpeg_encode_tile.h"

enum { BLOCK_WORDS = 33 }; /* room for 64 coefficients of 16 bits, and one word more against bank conflicts */

/* A channel's byte: where the buffer of pixels does not hold it, `pixels` is null and the place its address. */
FUNCTION GLOBAL const u8 *channel_row(LOCAL const struct encode_channel *channel, GLOBAL const u32 *pixels, u32 y)
{
    u64 offset = (u64)channel->offset[1] << 32 | channel->offset[0];
    GLOBAL const u8 *base = (GLOBAL const u8 *)pixels + offset;
#if defined(__CUDACC__)
    u64 address = (u64)channel->address[1] << 32 | channel->address[0];
    if (address != 0)
        base = (const u8 *)__cvta_global_to_generic((size_t)address);
#endif
    return base + (i64)channel->pitch * (i64)y;
}

FUNCTION i32 pixel_value(LOCAL const struct encode_picture *picture, LOCAL const struct encode_component *component,
    GLOBAL const u32 *pixels, u32 x, u32 y)
{
    i32 sum = component->addend;
    for (u32 i = 0; i < 4; i++)
        if (component->factor[i] != 0) {
            LOCAL const struct encode_channel *channel = &picture->channel[i];
            sum += component->factor[i] * (i32)channel_row(channel, pixels, y)[(u64)x * channel->step];
        }
    return sum >> 16;
}

/* A sample anywhere, also beyond the component's edges. */
OUTLINED u32 sample_at(LOCAL const struct encode_picture *picture, LOCAL const struct encode_component *component,
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

/*
 * Where a tile's samples go: those of its own blocks, and, where it does not start an interval, those of the MCU before
 * it, in coding order (`extra`). That MCU counts as number tile->mcus.
 */
struct samples {
    LOCAL u32 *own, *extra;
};

FUNCTION LOCAL u32 *block_samples(const struct tile *tile, const struct samples *samples, u32 c, u32 mcu)
{
    LOCAL const struct encode_component *component = &tile->picture->component[c];
    if (mcu == tile->mcus)
        return samples->extra + component->first_block * BLOCK_WORDS;
    return samples->own + (tile->mcus * component->first_block + mcu * component->h * component->v) * BLOCK_WORDS;
}

/* The MCU's number in the picture. */
FUNCTION u32 place_of_mcu(const struct tile *tile, u32 mcu)
{
    return mcu == tile->mcus ? tile->first - 1 : tile->first + mcu;
}

/* `count` samples of a block's row, from its sample `first` on: a multiple of 4, as the count is. */
FUNCTION void sample_run(const struct tile *tile, u32 c, GLOBAL const u32 *pixels, LOCAL u32 *out, u32 mcu, u32 place,
    u32 row, u32 first, u32 count)
{
    LOCAL const struct encode_picture *picture = tile->picture;
    LOCAL const struct encode_component *component = &picture->component[c];
    u32 at = place_of_mcu(tile, mcu);
    u32 x = (at % picture->mcus_w * component->h + place % component->h) * 8 + first;
    u32 y = (at / picture->mcus_w * component->v + place / component->h) * 8 + row;
    ROLL for (u32 i = 0; i < count; i += 4)
    {
        u32 word = 0;
        ROLL for (u32 j = 0; j < 4; j++) word |= sample_at(picture, component, pixels, x + i + j, y) << (8 * j);
        out[place * BLOCK_WORDS + row * 2 + (first + i) / 4] = word;
    }
}

/*
 * Eight pixels of a row as words: six of three bytes a pixel, eight of four. They exist, and so does the next one where
 * rows are ragged.
 */
FUNCTION void load_pixels(LOCAL const struct encode_picture *picture, GLOBAL const u8 *from, u32 *word)
{
    u32 odd = (u32)((size_t)from & 3), words = 2 * picture->channel[0].step;
    GLOBAL const u32 *wide = (GLOBAL const u32 *)(GLOBAL const void *)(from - odd);
    if (!picture->ragged) {
        UNROLL
        for (u32 i = 0; i < 8; i += 2) {
            u32x2 pair = make_u32x2(0, 0);
            if (i < words)
                pair = ((GLOBAL const u32x2 *)(GLOBAL const void *)from)[i / 2];
            word[i] = pair.x;
            word[i + 1] = pair.y;
        }
        return;
    }
    u32 last = wide[0];
    UNROLL
    for (u32 i = 0; i < 8; i++) {
        u32 next = 0;
        if (i + (odd == 0) < words)
            next = wide[i + 1];
        word[i] = shift_pair(last, next, 8 * odd);
        last = next;
    }
}

/* Three bytes of the i-th of eight pixels. */
FUNCTION u32 pick_pixel(const u32 *word, u32 step, u32 i)
{
    u32 packed = 3 * i % 4 == 0
                     ? word[3 * i / 4]
                     : word[3 * i / 4] >> (3 * i % 4 * 8) | word[(3 * i / 4 + 1) % 8] << (32 - 3 * i % 4 * 8);
    return step == 3 ? packed : word[i];
}

/* What a work-item that loads by pixel keeps in mind. */
struct encode_place {
    u32 h;        /* blocks of the first component in a row of an MCU */
    u32 chroma_h; /* and of the others */
    u32 box_w, box_h;
    LOCAL u32 *out[3]; /* samples of each component */
};

FUNCTION struct encode_place find_place(const struct tile *tile, const struct samples *samples, u32 mcu)
{
    LOCAL const struct encode_component *chroma = &tile->picture->component[1];
    struct encode_place place;
    place.h = tile->picture->component[0].h;
    place.chroma_h = chroma->h;
    place.box_w = chroma->box_w;
    place.box_h = chroma->box_h;
    UNROLL
    for (u32 c = 0; c < 3; c++)
        place.out[c] = block_samples(tile, samples, c, mcu);
    return place;
}

struct weights {
    i32 factor[3];
    i32 addend;
};

FUNCTION struct weights weights_of(LOCAL const struct encode_component *component)
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

/* The means of the sums of boxes, four to a word. */
FUNCTION u32 mean_pairs(const u32 *sum, u32 box_h)
{
    u32 word = 0;
    UNROLL
    for (u32 i = 0; i < 4; i++) { /* the rounding alternates */
        u32 both = sum[2 * i] + sum[2 * i + 1];
        word |= (box_h == 2 ? (both + 1 + i % 2) >> 2 : (both + i % 2) >> 1) << (8 * i);
    }
    return word;
}

FUNCTION u32 mean_columns(const u32 *sum, u32 box_h)
{
    u32 word = 0;
    UNROLL
    for (u32 i = 0; i < 4; i++)
        word |= (box_h == 2 ? (sum[i] + 1) >> 1 : sum[i]) << (8 * i);
    return word;
}

FUNCTION void store_means(const struct encode_place *place, LOCAL u32 *out, const u32 *sum)
{
    if (place->box_w == 2) {
        out[0] = mean_pairs(sum, place->box_h);
    } else {
        out[0] = mean_columns(sum, place->box_h);
        out[1] = mean_columns(sum + 4, place->box_h);
    }
}

/* Eight pixels by as many rows as a box has. `from`: the first, in column `x` of the MCU. */
FUNCTION void convert_pixels(LOCAL const struct encode_picture *picture, const struct encode_place *place,
    const struct weights *weights, GLOBAL const u8 *from, u32 x, u32 row)
{
    u32 step = picture->channel[0].step, at = x / place->box_w;
    u32 blue[8], red[8];
    UNROLL
    for (u32 i = 0; i < 8; i++)
        blue[i] = red[i] = 0;
    ROLL for (u32 j = 0; j < place->box_h; j++, from += picture->channel[0].pitch)
    {
        u32 word[8], luma[2] = {0, 0}, y = row * place->box_h + j;
        load_pixels(picture, from, word);
        UNROLL
        for (u32 i = 0; i < 8; i++) {
            u32 pixel = pick_pixel(word, step, i);
            luma[i / 4] |= weigh(&weights[0], pixel) << (i % 4 * 8);
            blue[i] += weigh(&weights[1], pixel);
            red[i] += weigh(&weights[2], pixel);
        }
        LOCAL u32 *out = place->out[0] + (y / 8 * place->h + x / 8) * BLOCK_WORDS + y % 8 * 2;
        out[0] = luma[0];
        out[1] = luma[1];
    }
    u32 to = (row / 8 * place->chroma_h + at / 8) * BLOCK_WORDS + row % 8 * 2 + at % 8 / 4;
    store_means(place, place->out[1] + to, blue);
    store_means(place, place->out[2] + to, red);
}

/* The same at the picture's edges. */
FUNCTION void convert_edge(
    const struct tile *tile, const struct encode_place *place, GLOBAL const u32 *pixels, u32 mcu, u32 x, u32 row)
{
    ROLL for (u32 i = 0; i < place->box_h + 2; i++)
    { /* rows of the first component, then the others */
        u32 c = i < place->box_h ? 0 : i - place->box_h + 1, h = c == 0 ? place->h : place->chroma_h;
        u32 at = c == 0 ? x : x / place->box_w, y = c == 0 ? row * place->box_h + i : row;
        sample_run(tile, c, pixels, place->out[c], mcu, y / 8 * h + at / 8, y % 8, at % 8,
            c == 0 || place->box_w == 1 ? 8 : 4);
    }
}

/* A work-item keeps to a column of eight pixels. Those beyond whole rows of columns are idle. */
FUNCTION void load_by_pixel(const struct tile *tile, GLOBAL const u32 *pixels, const struct samples *samples)
{
    LOCAL const struct encode_picture *picture = tile->picture;
    LOCAL const struct encode_component *luma = &picture->component[0];
    u32 columns = (tile->mcus + !tile->starts) * luma->h, step = ENCODE_BLOCKS / columns;
    u32 row = local_index() / columns, column = local_index() - row * columns, mcu = column / luma->h;
    u32 at = place_of_mcu(tile, mcu), down = at / picture->mcus_w, x = (column - mcu * luma->h) * 8;
    u32 left = (at - down * picture->mcus_w) * luma->h * 8 + x, top = down * luma->v * 8;
    const struct encode_place place = find_place(tile, samples, mcu);
    u32 rows = row < step ? 8 * luma->v / place.box_h : 0;
    struct weights weights[3];
    UNROLL
    for (u32 c = 0; c < 3; c++)
        weights[c] = weights_of(&picture->component[c]);
    ROLL for (; row < rows; row += step)
    {
        u32 y = top + row * place.box_h;
        GLOBAL const u8 *from = channel_row(&picture->channel[0], pixels, y) + (u64)left * picture->channel[0].step;
        if (left + 8 + picture->ragged <= luma->width && y + place.box_h <= luma->height)
            convert_pixels(picture, &place, weights, from, x, row);
        else
            convert_edge(tile, &place, pixels, mcu, x, row);
    }
}

FUNCTION void load_by_sample(const struct tile *tile, GLOBAL const u32 *pixels, const struct samples *samples)
{
    LOCAL const struct encode_picture *picture = tile->picture;
    u32 own = tile->mcus * picture->mcu_blocks, all = tile->starts ? own : own + picture->mcu_blocks;
    ROLL for (u32 i = local_index(); i < all * 8; i += ENCODE_BLOCKS)
    {
        struct block block = find_block(tile, i / 8);
        if (i / 8 >= own) {
            u32 within = i / 8 - own;
            block.component = 0;
            while (block.component + 1 < picture->components &&
                   within >= picture->component[block.component + 1].first_block)
                block.component++;
            block.mcu = tile->mcus;
            block.place = within - picture->component[block.component].first_block;
        }
        sample_run(tile, block.component, pixels, block_samples(tile, samples, block.component, block.mcu), block.mcu,
            block.place, i % 8, 0, 8);
    }
}

/* Those of all blocks, also of the ones that pad MCUs. */
FUNCTION void load_samples(const struct tile *tile, GLOBAL const u32 *pixels, const struct samples *samples)
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
FUNCTION void sum_before(const struct tile *tile, const struct samples *samples, LOCAL u32 *sums)
{
    u32 c = local_index() / 16;
    if (c >= tile->picture->components || tile->starts)
        return;
    LOCAL const struct encode_component *component = &tile->picture->component[c];
    u32 place =
        component->first_block + last_real(tile->picture, component, tile->first - 1, component->h * component->v);
    u32 word = samples->extra[place * BLOCK_WORDS + local_index() % 16];
    count_up_local(sums + c, (word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24));
}
