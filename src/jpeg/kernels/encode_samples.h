/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns pixels into the samples of a tile: colour conversion, downsampling and repetition at the edges, rounded as by
 * the CPU's code. Samples lie in the work-group's memory, block by block, BLOCK_WORDS apart.
 */
#include "jpeg/kernels/encode_tile.h"
#include "jpeg/tables/colour.h"

enum { BLOCK_WORDS = 33 }; /* room for 64 coefficients of 16 bits, and one word more against bank conflicts */

/*
 * Return the first byte of a channel in row y. If the channel is not in the buffer of pixels, its absolute address is
 * used instead.
 */
FUNCTION GLOBAL const u8 *channel_row(LOCAL const struct jpeg_encode_channel *channel, GLOBAL const u32 *pixels, u32 y)
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

FUNCTION i32 pixel_value(LOCAL const struct jpeg_encode_picture *picture,
    LOCAL const struct jpeg_encode_component *component, GLOBAL const u32 *pixels, u32 x, u32 y)
{
    i32 sum = component->addend;
    for (u32 i = 0; i < 4; i++)
        if (component->factor[i] != 0) {
            LOCAL const struct jpeg_encode_channel *channel = &picture->channel[i];
            sum += component->factor[i] * (i32)channel_row(channel, pixels, y)[(u64)x * channel->step];
        }
    return sum >> 16;
}

/* Return the sample at any place, which may lie beyond the component's edges. */
OUTLINED u32 sample_at(LOCAL const struct jpeg_encode_picture *picture,
    LOCAL const struct jpeg_encode_component *component, GLOBAL const u32 *pixels, u32 x, u32 y)
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
 * Holds the places of a tile's samples: those of its own blocks (`own`) and, if it does not start an interval, those of
 * the MCU in front of it, in coding order (`extra`). That MCU has the number tile->mcus.
 */
struct sample_places {
    LOCAL u32 *own, *extra;
};

FUNCTION LOCAL u32 *block_samples(const struct tile *tile, const struct sample_places *samples, u32 c, u32 mcu)
{
    LOCAL const struct jpeg_encode_component *component = &tile->picture->component[c];
    if (mcu == tile->mcus)
        return samples->extra + component->first_block * BLOCK_WORDS;
    return samples->own + (tile->mcus * component->first_block + mcu * component->h * component->v) * BLOCK_WORDS;
}

/* Return the number of an MCU in the picture. */
FUNCTION u32 place_of_mcu(const struct tile *tile, u32 mcu)
{
    return mcu == tile->mcus ? tile->first - 1 : tile->first + mcu;
}

/* Load eight bytes of a row. They must exist, and so must the next byte if rows are ragged. */
FUNCTION u32x2 load_eight(GLOBAL const u8 *from, u32 ragged)
{
    u32 odd = (u32)((size_t)from & 3);
    GLOBAL const u32 *wide = (GLOBAL const u32 *)(GLOBAL const void *)(from - odd);
    if (!ragged)
        return *(GLOBAL const u32x2 *)(GLOBAL const void *)from;
    u32 left = wide[0], middle = wide[1], right = odd == 0 ? 0 : wide[2];
    return make_u32x2(shift_pair(left, middle, 8 * odd), shift_pair(middle, right, 8 * odd));
}

/* Make eight samples of a block's row. */
FUNCTION void sample_run(
    const struct tile *tile, u32 c, GLOBAL const u32 *pixels, LOCAL u32 *out, u32 mcu, u32 place, u32 row)
{
    LOCAL const struct jpeg_encode_picture *picture = tile->picture;
    LOCAL const struct jpeg_encode_component *component = &picture->component[c];
    u32 at = place_of_mcu(tile, mcu);
    u32 x = (at % picture->mcus_w * component->h + place % component->h) * 8;
    u32 y = (at / picture->mcus_w * component->v + place / component->h) * 8 + row;
    out += place * BLOCK_WORDS + row * 2;
    if (component->plain != 0 && x + 8 + picture->ragged <= component->width) {
        y = least(least(y, component->rows - 1), component->height - 1);
        u32x2 words = load_eight(channel_row(&picture->channel[component->plain - 1], pixels, y) + x, picture->ragged);
        out[0] = words.x;
        out[1] = words.y;
        return;
    }
    ROLL for (u32 i = 0; i < 2; i++)
    {
        u32 word = 0;
        ROLL for (u32 j = 0; j < 4; j++) word |= sample_at(picture, component, pixels, x + 4 * i + j, y) << (8 * j);
        out[i] = word;
    }
}

/*
 * Load eight pixels of a row as words: six words for three bytes a pixel, eight words for four. The pixels must exist,
 * and so must the next one if rows are ragged.
 */
FUNCTION void load_words(GLOBAL const u8 *from, u32 words, u32 ragged, u32 *word)
{
    u32 odd = (u32)((size_t)from & 3);
    GLOBAL const u32 *wide = (GLOBAL const u32 *)(GLOBAL const void *)(from - odd);
    if (!ragged) {
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

/* Holds the constants of a work-item that loads samples pixel by pixel. */
struct encode_place {
    GLOBAL const u8 *base; /* address of the picture's first pixel */
    u32 left;              /* x of the column's first pixel */
    u32 first;             /* the first row of chroma of the MCU, in the picture */
    u32 h, chroma_h;       /* number of blocks of luma and of chroma in a row of an MCU */
    u32 box_w, box_h;
    LOCAL u32 *out[3]; /* where the samples of each component go */
};

/*
 * Load eight pixels of the column. From the lowest byte on, each has red, green, blue, and green again. Beyond the
 * picture's edge the last pixel is repeated.
 */
FUNCTION void load_pixels(
    LOCAL const struct jpeg_encode_picture *picture, const struct encode_place *place, u32 y, u32 *pixel)
{
    u32 step = picture->channel[0].step, order = picture->loading, width = picture->component[0].width;
    GLOBAL const u8 *row = place->base + (i64)picture->channel[0].pitch * (i64)y;
    if (place->left + 8 + picture->ragged > width) {
        UNROLL
        for (u32 i = 0; i < 8; i++) {
            GLOBAL const u8 *from = row + (u64)least(place->left + i, width - 1) * step;
            pixel[i] = pick_bytes((u32)from[0] | (u32)from[1] << 8 | (u32)from[2] << 16, 0, order);
        }
        return;
    }
    u32 word[8];
    load_words(row + (u64)place->left * step, 2 * step, picture->ragged, word);
    if (step == 3) {
        UNROLL
        for (u32 i = 0; i < 8; i++)
            pixel[i] = pick_bytes(word[3 * i / 4], word[(3 * i / 4 + 1) % 8], order + 3 * i % 4 * 0x1111);
    } else {
        UNROLL
        for (u32 i = 0; i < 8; i++)
            pixel[i] = pick_bytes(word[i], 0, order);
    }
}

/* Apply the equations of JFIF, times 2^16: the result lies above the lowest 16 bits. */
FUNCTION u32 luma_of(u32 pixel)
{
    return dot_high(pixel, YCC_Y_BLUE, 0, dot_low(pixel, YCC_Y_RED, YCC_Y_GREEN, 32768));
}

FUNCTION u32 blue_of(u32 pixel)
{
    return dot_high(pixel, 32768, 0, dot_low(pixel, -YCC_CB_RED, -YCC_CB_GREEN, (128 << 16) + 32767));
}

FUNCTION u32 red_of(u32 pixel)
{
    return dot_high(pixel, -YCC_CR_BLUE, -YCC_CR_GREEN, dot_low(pixel, 32768, 0, (128 << 16) + 32767));
}

/* Join the third bytes of four words. */
FUNCTION u32 join_thirds(u32 a, u32 b, u32 c, u32 d)
{
    return pick_bytes(pick_bytes(a, b, 0x0062), pick_bytes(c, d, 0x0062), 0x5410);
}

/* Join the upper halves of two words. */
FUNCTION u32 join_uppers(u32 a, u32 b)
{
    return pick_bytes(a, b, 0x7632);
}

/*
 * Store the means of boxes. `sum` holds the sums over the boxes' rows for each of eight columns, two in a word; `at` is
 * the first sample in its row.
 */
FUNCTION void store_means(const struct encode_place *place, LOCAL u32 *out, const u32 *sum, u32 at)
{
    u32 high = place->box_h - 1;
    if (place->box_w == 1) {
        u32 middle = high * 0x00010001u;
        out[0] = pick_bytes((sum[0] + middle) >> high, (sum[1] + middle) >> high, 0x6420);
        out[1] = pick_bytes((sum[2] + middle) >> high, (sum[3] + middle) >> high, 0x6420);
    } else if (place->box_w == 2) {
        u32 word = 0;
        UNROLL
        for (u32 i = 0; i < 4; i++) /* the rounding alternates */
            word |= ((sum[i] & 0xFFFF) + (sum[i] >> 16) + high + i % 2) >> (1 + high) << (8 * i);
        out[0] = word;
    } else {
        u32 left = sum[0] + sum[1], right = sum[2] + sum[3], middle = 2 << high;
        left = ((left & 0xFFFF) + (left >> 16) + middle) >> (2 + high);
        right = ((right & 0xFFFF) + (right >> 16) + middle) >> (2 + high);
        ((LOCAL u16 *)out)[at % 4 / 2] = (u16)(left | right << 8);
    }
}

/*
 * Convert eight columns of pixels in all rows of a box, from column `x` and from row `row` of the MCU's chroma on.
 * Rows of chroma below the component's last row repeat that row, and rows of luma below the picture repeat its last
 * row.
 */
FUNCTION void convert_pixels(
    LOCAL const struct jpeg_encode_picture *picture, const struct encode_place *place, u32 x, u32 row)
{
    u32 last = picture->component[1].rows - 1, below = place->first + row > last;
    u32 from = (below ? last : place->first + row) * place->box_h, at = x / place->box_w;
    u32 blue[4] = {0, 0, 0, 0}, red[4] = {0, 0, 0, 0};
    ROLL for (u32 j = 0; j < place->box_h; j++)
    {
        u32 pixel[8], y = row * place->box_h + j;
        load_pixels(picture, place, least(from + j, picture->component[0].height - 1), pixel);
        UNROLL
        for (u32 i = 0; i < 4; i++) {
            blue[i] += join_uppers(blue_of(pixel[2 * i]), blue_of(pixel[2 * i + 1]));
            red[i] += join_uppers(red_of(pixel[2 * i]), red_of(pixel[2 * i + 1]));
        }
        UNROLL
        for (u32 i = 0; i < 8; i++)
            pixel[i] = luma_of(pixel[i]);
        u32 left = join_thirds(pixel[0], pixel[1], pixel[2], pixel[3]);
        u32 right = join_thirds(pixel[4], pixel[5], pixel[6], pixel[7]);
        LOCAL u32 *out = place->out[0] + (y / 8 * place->h + x / 8) * BLOCK_WORDS + y % 8 * 2;
        out[0] = left;
        out[1] = right;
        if (below && j > 0) { /* the rows of a box lie in the same block */
            out[-2] = left;
            out[-1] = right;
        }
    }
    u32 to = (row / 8 * place->chroma_h + at / 8) * BLOCK_WORDS + row % 8 * 2 + at % 8 / 4;
    store_means(place, place->out[1] + to, blue, at);
    store_means(place, place->out[2] + to, red, at);
}

/*
 * Load the samples pixel by pixel: each work-item keeps to one column of eight pixels. Work-items that are left over
 * when whole rows of columns are taken are idle.
 */
FUNCTION void load_by_pixel(const struct tile *tile, GLOBAL const u32 *pixels, const struct sample_places *samples)
{
    LOCAL const struct jpeg_encode_picture *picture = tile->picture;
    LOCAL const struct jpeg_encode_component *luma = &picture->component[0], *chroma = &picture->component[1];
    u32 columns = (tile->mcus + !tile->starts) * luma->h, step = ENCODE_BLOCKS / columns;
    u32 row = local_index() / columns, column = local_index() - row * columns, mcu = column / luma->h;
    u32 at = place_of_mcu(tile, mcu), down = at / picture->mcus_w, x = (column - mcu * luma->h) * 8;
    struct encode_place place;
    place.base = channel_row(&picture->channel[0], pixels, 0);
    place.left = (at - down * picture->mcus_w) * luma->h * 8 + x;
    place.first = down * chroma->v * 8;
    place.h = luma->h;
    place.chroma_h = chroma->h;
    place.box_w = chroma->box_w;
    place.box_h = chroma->box_h;
    UNROLL
    for (u32 c = 0; c < 3; c++)
        place.out[c] = block_samples(tile, samples, c, mcu);
    u32 rows = row < step ? 8 * chroma->v : 0;
    ROLL for (; row < rows; row += step) convert_pixels(picture, &place, x, row);
}

FUNCTION void load_by_sample(const struct tile *tile, GLOBAL const u32 *pixels, const struct sample_places *samples)
{
    LOCAL const struct jpeg_encode_picture *picture = tile->picture;
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
            block.place, i % 8);
    }
}

/* Load the samples of all blocks, including those that only pad MCUs. */
FUNCTION void load_samples(const struct tile *tile, GLOBAL const u32 *pixels, const struct sample_places *samples)
{
    if (tile->picture->loading != ENCODE_BY_SAMPLE)
        load_by_pixel(tile, pixels, samples);
    else
        load_by_sample(tile, pixels, samples);
}

/*
 * Sum up the samples of the block that predicts the tile's first DC coefficient, for each component: this is the DC
 * coefficient times 8 and not quantised. `sums` holds 0 for each component on entry. Nothing is done if the tile starts
 * an interval.
 */
FUNCTION void sum_before(const struct tile *tile, const struct sample_places *samples, LOCAL u32 *sums)
{
    u32 c = local_index() / 16;
    if (c >= tile->picture->components || tile->starts)
        return;
    LOCAL const struct jpeg_encode_component *component = &tile->picture->component[c];
    u32 place =
        component->first_block + last_real(tile->picture, component, tile->first - 1, component->h * component->v);
    u32 word = samples->extra[place * BLOCK_WORDS + local_index() % 16];
    count_up_local(sums + c, (word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24));
}
