/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resizes rows horizontally, of samples of up to 8 bits. A work-group loads the pixels that its columns need into local
 * memory, where each word holds four neighbouring samples of a channel; each work-item then sums up words for one
 * column of four rows.
 */
#include "kernels/dots.h"
#include "kernels/quads.h"

#include "resize/kernels/step.h"

enum {
    ACROSS_LANES = 16, /* work-items that load or store neighbouring words of a row */
    ACROSS_SUMS = RESIZE_ACROSS_STRIP * RESIZE_CHANNELS,
    ACROSS_MADE = RESIZE_ACROSS_ROWS * RESIZE_ACROSS_COLUMNS * RESIZE_CHANNELS / 4 /* words of pixels of a group */
};

/* Fill the tile with `count` quads of pixels of each row, from quad `first` on. Rows beyond the last one repeat it. */
FUNCTION void fill_tile(GLOBAL const struct resize_work_step *step, GLOBAL const u8 *from, u32 y, u32 first, u32 count,
    const u32 channels, LOCAL u32 *tile)
{
    u32 lane = local_index() % ACROSS_LANES, word[RESIZE_CHANNELS];
    for (u32 i = local_index() / ACROSS_LANES; i < RESIZE_ACROSS_ROWS; i += RESIZE_GROUP_ITEMS / ACROSS_LANES) {
        u32 at = y + i < step->height ? y + i : step->height - 1;
        u64 row = place_of(step->from) + (u64)at * step->from_pitch;
        LOCAL u32 *to = tile + i * channels * step->quads;
        for (u32 quad = lane; quad < count; quad += ACROSS_LANES) {
            load_quad(from, row, 4 * channels * (first + quad), step->length, channels, word);
            separate(channels, word);
            UNROLL for (u32 c = 0; c < channels; c++) to[c * step->quads + quad] = word[c];
        }
    }
}

/* Holds the sums of products with each byte of the weights, for each row and channel. */
struct across_sums {
    u32 low[ACROSS_SUMS], middle[ACROSS_SUMS], high[ACROSS_SUMS];
};

FUNCTION void add_quad(LOCAL const u32 *tile, u32 step, const u32 channels, u32x4 weights, struct across_sums *sums)
{
    UNROLL for (u32 i = 0; i < RESIZE_ACROSS_STRIP * channels; i++)
    {
        u32 samples = tile[i * step];
        sums->low[i] = dot_bytes(samples, weights.x, sums->low[i]);
        sums->middle[i] = dot_bytes(samples, weights.y, sums->middle[i]);
        sums->high[i] = dot_signed_bytes(samples, weights.z, sums->high[i]);
    }
}

FUNCTION u32 end_of_window(GLOBAL const u32 *window, u32 index)
{
    return window[2 * index] + window[2 * index + 1];
}

/*
 * Sum up the window of column `x` for four rows of the tile. The whole work-group calls this; `x` may lie beyond the
 * last column.
 */
FUNCTION void sum_up(GLOBAL const u32 *work, GLOBAL const struct resize_work_step *step, GLOBAL const u8 *from, u32 x,
    u32 y, const u32 channels, LOCAL u32 *tile, struct across_sums *sums)
{
    u32 column = local_index() % RESIZE_ACROSS_COLUMNS, strip = local_index() / RESIZE_ACROSS_COLUMNS;
    u32 left = x - column, right = left + RESIZE_ACROSS_COLUMNS;
    right = (right < step->width ? right : step->width) - 1;
    GLOBAL const u32 *window = work + step->window;
    GLOBAL const u32x4 *weights = quads_at(work, step->weights) + x;
    u32 own = x < step->width ? window[2 * x] : 0, own_end = x < step->width ? end_of_window(window, x) : 0;
    u32 end = end_of_window(window, right);
    LOCAL const u32 *rows = tile + strip * RESIZE_ACROSS_STRIP * channels * step->quads;
    for (u32 first = window[2 * left]; first < end; first += step->quads) {
        u32 last = end - first < step->quads ? end : first + step->quads;
        fill_tile(step, from, y, first, last - first, channels, tile);
        barrier_local();
        u32 stop = own_end < last ? own_end : last;
        for (u32 quad = own > first ? own : first; quad < stop; quad++)
            add_quad(rows + (quad - first), step->quads, channels, weights[(u64)(quad - own) * step->width], sums);
        barrier_local();
    }
}

/* Make a tile of the result. The whole work-group calls it. */
FUNCTION void make_across(GLOBAL const u32 *work, GLOBAL const struct resize_work_step *step, GLOBAL const u8 *from,
    GLOBAL u8 *to, u32 group, const u32 channels, LOCAL u32 *tile, LOCAL u32 *made)
{
    u32 left = group % step->groups_of_row * RESIZE_ACROSS_COLUMNS,
        y = group / step->groups_of_row * RESIZE_ACROSS_ROWS;
    u32 column = local_index() % RESIZE_ACROSS_COLUMNS, strip = local_index() / RESIZE_ACROSS_COLUMNS;
    u32 lane = local_index() % ACROSS_LANES, row = local_index() / ACROSS_LANES, length = step->width * channels;
    LOCAL u8 *bytes = (LOCAL u8 *)made + (strip * RESIZE_ACROSS_STRIP * RESIZE_ACROSS_COLUMNS + column) * channels;
    struct across_sums sums;
    UNROLL for (u32 i = 0; i < RESIZE_ACROSS_STRIP * channels; i++) sums.low[i] = sums.middle[i] = sums.high[i] = 0;
    sum_up(work, step, from, left + column, y, channels, tile, &sums);
    UNROLL for (u32 i = 0; i < RESIZE_ACROSS_STRIP * channels; i++)
        bytes[i / channels * RESIZE_ACROSS_COLUMNS * channels + i % channels] =
            (u8)round_narrow(sums.low[i], sums.middle[i], sums.high[i], step->greatest);
    barrier_local();
    if (y + row >= step->height)
        return;
    GLOBAL u8 *line = target_at(to, place_of(step->to) + (u64)(y + row) * step->to_pitch);
    u32 at = left * channels + 4 * lane;
    LOCAL const u32 *own = made + row * ACROSS_LANES * channels + lane;
    u32 whole = left + RESIZE_ACROSS_COLUMNS <= step->width;
    UNROLL for (u32 i = 0; i < channels; i++)
    {
        if (whole)
            *(GLOBAL u32 *)(GLOBAL void *)(line + at + 4 * ACROSS_LANES * i) = own[ACROSS_LANES * i];
        else
            store_word(line, at + 4 * ACROSS_LANES * i, length, own[ACROSS_LANES * i]);
    }
}

/*
 * Defines kernels whose work-groups make 64 columns of 8 rows. The rows that are stored begin at multiples of 4 bytes.
 * Each number of channels has a kernel of its own, so that sums stay in registers, and because PoCL 3.1 lets
 * work-groups share memory that several copies of a function use.
 */
#define ACROSS_KERNEL(name, channels)                                                                                  \
    KERNEL(RESIZE_GROUP_ITEMS)                                                                                         \
    name(GLOBAL const u32 *work, GLOBAL const u8 *from, GLOBAL u8 *to, u32 list, u32 steps, u32 count)                 \
    {                                                                                                                  \
        SHARED u32 tile[RESIZE_ACROSS_TILE];                                                                           \
        SHARED u32 made[ACROSS_MADE];                                                                                  \
        u32 group;                                                                                                     \
        GLOBAL const struct resize_work_step *step = find_step(work, list, steps, count, &group);                      \
        make_across(work, step, from, to, group, channels, tile, made);                                                \
    }

ACROSS_KERNEL(resize_across_one, 1)
ACROSS_KERNEL(resize_across_three, 3)
ACROSS_KERNEL(resize_across_four, 4)
