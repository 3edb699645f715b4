/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paints as filters/cpu/oil.c does. A work-group numbers the bins that occur in its tile, in ascending order. For each
 * bin, every row of the tile has a mask of the pixels in that bin, so that the pixels of a row of the square are
 * counted at once.
 */
#include "filters/kernels/points.h"

enum {
    OIL_SIDE = FILTER_TILE + 2 * FILTER_OIL_RADIUS, /* 62: a row's mask has two words */
    OIL_MASKS = 32,                                 /* bins whose masks a work-group holds at once */
    OIL_ROWS = FILTER_TILE / FILTER_TILE_ROWS,      /* rows that a work-item makes, one below the other */
    OIL_BIN_WORDS = 256 / 32,
    OIL_RADIUS = 3, /* indices of values; those before belong to luminance */
    OIL_RATIO
};

/*
 * Holds a tile with its border: bits 0 to 23 of a pixel are its colours, if they are bytes, and the bits above are its
 * bin.
 */
struct oil_tile {
    LOCAL u32 *pixels, *masks, *present;
    i32 left, top; /* upper left corner of the border */
    u32 side, radius;
};

/* Return whether pixel `i` of a tile lies in the image. */
FUNCTION u32 is_in_image(GLOBAL const struct filter_record *record, const struct oil_tile *tile, u32 i)
{
    return (u32)(tile->left + (i32)(i % tile->side)) < record->width &&
           (u32)(tile->top + (i32)(i / tile->side)) < record->height;
}

/* Return a pixel's bin: its luminance of 8 bits, divided by the ratio and rounded to nearest, ties to even. */
FUNCTION u32 oil_bin_of(GLOBAL const struct filter_record *record, GLOBAL const u8 *pixel)
{
    u32 luminance = smaller(luminance_of(record, pixel), record->greatest), ratio = (u32)record->value[OIL_RATIO];
    luminance = (luminance * 255 + record->greatest / 2) / record->greatest;
    u32 quotient = luminance / ratio, twice = (luminance - quotient * ratio) * 2;
    return quotient + (twice > ratio || (twice == ratio && quotient % 2 == 1) ? 1 : 0);
}

/* Load the tile, and note which bins occur. Whole work-group. */
FUNCTION void load_oil(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, const struct oil_tile *tile)
{
    if (local_index() < OIL_BIN_WORDS)
        tile->present[local_index()] = 0;
    barrier_local();
    for (u32 i = local_index(); i < tile->side * tile->side; i += FILTER_GROUP_ITEMS) {
        tile->pixels[i] = 0;
        if (!is_in_image(record, tile, i))
            continue;
        GLOBAL const u8 *pixel = source_pixel(
            record, from, (u32)(tile->left + (i32)(i % tile->side)), (u32)(tile->top + (i32)(i / tile->side)));
        u32 bin = oil_bin_of(record, pixel), colours = record->bytes == 1 ? pixel[0] : 0;
        if (record->bytes == 1 && record->colours == 3)
            colours |= (u32)pixel[1] << 8 | (u32)pixel[2] << 16;
        tile->pixels[i] = colours | bin << 24;
        join_local(tile->present + bin / 32, 1u << bin % 32);
    }
    barrier_local();
}

/*
 * Replace the pixels' bins by their numbers among the bins that occur. Returns the number of bins that occur. Whole
 * work-group.
 */
FUNCTION u32 number_bins(GLOBAL const struct filter_record *record, const struct oil_tile *tile)
{
    u32 bins = 0;
    for (u32 i = local_index(); i < tile->side * tile->side; i += FILTER_GROUP_ITEMS) {
        if (!is_in_image(record, tile, i))
            continue;
        u32 bin = tile->pixels[i] >> 24, number = ones(tile->present[bin / 32] & ((1u << bin % 32) - 1));
        for (u32 k = 0; k < bin / 32; k++)
            number += ones(tile->present[k]);
        tile->pixels[i] = (tile->pixels[i] & 0xFFFFFF) | number << 24;
    }
    for (u32 k = 0; k < OIL_BIN_WORDS; k++)
        bins += ones(tile->present[k]);
    return bins;
}

/* Make the masks of `count` bins from `first` on. Whole work-group. */
FUNCTION void make_masks(GLOBAL const struct filter_record *record, const struct oil_tile *tile, u32 first, u32 count)
{
    u32 side = tile->side;
    barrier_local();
    for (u32 i = local_index(); i < count * side * 2; i += FILTER_GROUP_ITEMS)
        tile->masks[i] = 0;
    barrier_local();
    for (u32 i = local_index(); i < side * side; i += FILTER_GROUP_ITEMS) {
        u32 column = i % side, row = i / side, bin = (tile->pixels[i] >> 24) - first;
        if (is_in_image(record, tile, i) && bin < count)
            join_local(tile->masks + (bin * side + row) * 2 + column / 32, 1u << column % 32);
    }
    barrier_local();
}

/* Return how many pixels of a row's mask lie in the square of the column. */
FUNCTION u32 count_row(LOCAL const u32 *mask, u32 column, u32 window)
{
    return ones(shift_pair(mask[0], mask[1], column) & window);
}

/*
 * Raise `best` to 256 × the number of pixels in the bin + 255 − the bin's number, for the squares around pixels one
 * below the other. `mask` is that of the first row of the first square.
 */
FUNCTION void count_bin(LOCAL const u32 *mask, u32 column, u32 radius, u32 number, u32 best[OIL_ROWS])
{
    u32 window = (2u << 2 * radius) - 1, key = 255 - number, sum = 0, left[OIL_ROWS - 1];
    UNROLL for (u32 i = 0; i + 1 < OIL_ROWS; i++)
    {
        left[i] = count_row(mask + 2 * i, column, window);
        sum += left[i];
    }
    for (u32 k = OIL_ROWS - 1; k <= 2 * radius; k++)
        sum += count_row(mask + 2 * k, column, window);
    best[0] = sum * 256 + key > best[0] ? sum * 256 + key : best[0];
    UNROLL for (u32 i = 1; i < OIL_ROWS; i++)
    {
        sum += count_row(mask + 2 * (2 * radius + i), column, window) - left[i - 1];
        best[i] = sum * 256 + key > best[i] ? sum * 256 + key : best[i];
    }
}

struct oil_sum {
    u32 colour[3];
};

/* Add up the colours of the pixels around (column, row) of the tile that are in the bin. */
FUNCTION struct oil_sum sum_bin(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct oil_tile *tile, u32 column, u32 row, u32 number)
{
    i32 x = tile->left + (i32)column, y = tile->top + (i32)row;
    i32 first = x < 0 ? -x : 0, top = y < 0 ? -y : 0;
    i32 end = (i32)smaller(2 * tile->radius + 1, record->width - (u32)x);
    i32 bottom = (i32)smaller(2 * tile->radius + 1, record->height - (u32)y);
    struct oil_sum sum;
    sum.colour[0] = sum.colour[1] = sum.colour[2] = 0;
    for (i32 j = top; j < bottom; j++)
        for (i32 i = first; i < end; i++) {
            u32 pixel = tile->pixels[(row + (u32)j) * tile->side + column + (u32)i];
            if (pixel >> 24 != number)
                continue;
            if (record->bytes == 1) {
                sum.colour[0] += pixel & 255;
                sum.colour[1] += pixel >> 8 & 255;
                sum.colour[2] += pixel >> 16 & 255;
            } else {
                GLOBAL const u8 *source = source_pixel(record, from, (u32)(x + i), (u32)(y + j));
                sum.colour[0] += load_sample(source, 0, 2);
                if (record->colours == 3) {
                    sum.colour[1] += load_sample(source, 1, 2);
                    sum.colour[2] += load_sample(source, 2, 2);
                }
            }
        }
    return sum;
}

/* Return the mean: for colours rounded to nearest, ties to even; for grey rounded down. */
FUNCTION u32 oil_mean(u32 sum, u32 number, u32 colours)
{
    u32 quotient = sum / number, twice = (sum - quotient * number) * 2;
    return colours == 1 ? quotient : quotient + (twice > number || (twice == number && quotient % 2 == 1) ? 1 : 0);
}

/* Make the pixel at (column, row) of the tile. */
FUNCTION void paint_oil(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, const struct oil_tile *tile,
    u32 key, u32 column, u32 row, GLOBAL u8 *target)
{
    u32 colours = record->colours, bytes = record->bytes;
    struct oil_sum sum = sum_bin(record, from, tile, column, row, 255 - key % 256);
    store_sample(target, 0, bytes, oil_mean(sum.colour[0], key / 256, colours));
    if (colours == 3) {
        store_sample(target, 1, bytes, oil_mean(sum.colour[1], key / 256, colours));
        store_sample(target, 2, bytes, oil_mean(sum.colour[2], key / 256, colours));
    }
    if (record->channels > colours) {
        u32 x = (u32)(tile->left + (i32)(tile->radius + column)), y = (u32)(tile->top + (i32)(tile->radius + row));
        store_sample(target, colours, bytes, load_sample(source_pixel(record, from, x, y), colours, bytes));
    }
}

/* value: the weights of luminance; the radius; the ratio. */
DENSE_KERNEL(FILTER_GROUP_ITEMS, 4)
filter_oil(FILTER_ARGUMENTS)
{
    SHARED u32 pixels[OIL_SIDE * OIL_SIDE], masks[OIL_MASKS * OIL_SIDE * 2], present[OIL_BIN_WORDS];
    u32 group, best[OIL_ROWS];
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile part = tile_of(record, group);
    u32 radius = (u32)record->value[OIL_RADIUS], column = local_index() % FILTER_TILE;
    u32 row = local_index() / FILTER_TILE * OIL_ROWS, x = part.left + column;
    struct oil_tile tile;
    tile.pixels = pixels;
    tile.masks = masks;
    tile.present = present;
    tile.left = (i32)part.left - (i32)radius;
    tile.top = (i32)part.top - (i32)radius;
    tile.side = FILTER_TILE + 2 * radius;
    tile.radius = radius;
    (void)extra;
    load_oil(record, from, &tile);
    u32 bins = number_bins(record, &tile);
    UNROLL for (u32 i = 0; i < OIL_ROWS; i++) best[i] = 0;
    for (u32 first = 0; first < bins; first += OIL_MASKS) {
        u32 masked = smaller(bins - first, OIL_MASKS);
        make_masks(record, &tile, first, masked);
        for (u32 k = 0; k < masked; k++)
            count_bin(masks + (k * tile.side + row) * 2, column, radius, first + k, best);
    }
    /* The rows' keys move through best[0], so that the loop needs neither copies of its body nor an array in memory. */
    ROLL for (u32 i = 0; i < OIL_ROWS; i++)
    {
        u32 y = part.top + row + i, key = best[0];
        UNROLL for (u32 k = 0; k + 1 < OIL_ROWS; k++) best[k] = best[k + 1];
        if (x < part.right && y < part.bottom)
            paint_oil(record, from, &tile, key, column, row + i, target_pixel(record, to, x, y));
    }
}
