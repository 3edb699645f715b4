/* SPDX-License-Identifier: BSD-2-Clause */
/* Smooths but keeps edges, as filters/cpu/bilateral.c does, with the same weights. */
#include "filters/kernels/record.h"

enum {
    BILATERAL_RADIUS,
    BILATERAL_PLACES,  /* offset of the list of neighbours */
    BILATERAL_COUNT,   /* number of neighbours */
    BILATERAL_WEIGHTS, /* offset of the rows of 16-bit weights, a row for each distance in space */
    BILATERAL_ROW, /* weights of a row; all greater distances of colours have the last weight, which is 0 or that of the
                      greatest distance */
    BILATERAL_ALL, /* weights in all rows */
    BILATERAL_SHIFT = BILATERAL_ALL, /* with samples of more than 8 bits: differences count multiples of 2 to this */
    BILATERAL_ROWS = FILTER_TILE / FILTER_TILE_ROWS, /* rows that a work-item makes at once */
    BILATERAL_SIDE = FILTER_TILE + 2 * FILTER_BILATERAL_RADIUS
};

/* Load a tile and its border, a pixel in each word; pixels outside the image are mirrored ones. */
FUNCTION void load_pixels(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct filter_tile *tile, u32 border, LOCAL u32 *pixels)
{
    u32 side = FILTER_TILE + 2 * border;
    for (u32 i = local_index(); i < side * side; i += FILTER_GROUP_ITEMS) {
        i32 x = (i32)(tile->left + i % side) - (i32)border, y = (i32)(tile->top + i / side) - (i32)border;
        GLOBAL const u8 *pixel =
            source_pixel(record, from, (u32)mirrored(x, (i32)record->width), (u32)mirrored(y, (i32)record->height));
        pixels[i] = packed_pixel(pixel, record->colours);
    }
}

/* Return the sum of the magnitudes of the differences of three bytes. */
FUNCTION u32 distance_of(u32 a, u32 b)
{
    return magnitude_of((i32)(a & 255) - (i32)(b & 255)) + magnitude_of((i32)(a >> 8 & 255) - (i32)(b >> 8 & 255)) +
           magnitude_of((i32)(a >> 16) - (i32)(b >> 16));
}

/* Holds the sums over the neighbours of a pixel. */
struct weighed_pixels {
    u32 total, first, second, third;
};

FUNCTION void add_weighed(struct weighed_pixels *sum, u32 other, u32 weight)
{
    sum->total += weight;
    sum->first += weight * (other & 255);
    sum->second += weight * (other >> 8 & 255);
    sum->third += weight * (other >> 16);
}

/* Store the rounded means. Alpha is copied from the source. */
FUNCTION void store_means(
    GLOBAL const struct filter_record *record, GLOBAL const u8 *source, GLOBAL u8 *target, struct weighed_pixels sum)
{
    u32 colours = record->colours;
    target[0] = (u8)((sum.first + sum.total / 2) / sum.total);
    if (colours == 3) {
        target[1] = (u8)((sum.second + sum.total / 2) / sum.total);
        target[2] = (u8)((sum.third + sum.total / 2) / sum.total);
    }
    if (record->channels > colours)
        target[colours] = source[colours];
}

KERNEL(FILTER_GROUP_ITEMS)
filter_bilateral(FILTER_ARGUMENTS)
{
    SHARED u32 pixels[BILATERAL_SIDE * BILATERAL_SIDE];
    SHARED u16 kept[FILTER_BILATERAL_WEIGHTS];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u16 *weights = (GLOBAL const u16 *)(GLOBAL const void *)(work + record->value[BILATERAL_WEIGHTS]);
    GLOBAL const u32 *places = work + record->value[BILATERAL_PLACES];
    u32 radius = (u32)record->value[BILATERAL_RADIUS], all = (u32)record->value[BILATERAL_ALL];
    u32 last = (u32)record->value[BILATERAL_ROW] - 1, neighbours = (u32)record->value[BILATERAL_COUNT];
    u32 side = FILTER_TILE + 2 * radius, step = FILTER_TILE_ROWS * side, x = own_column(&tile), y = own_row(&tile);
    struct weighed_pixels sum[BILATERAL_ROWS];
    u32 own[BILATERAL_ROWS];
    (void)extra;
    load_pixels(record, from, &tile, radius, pixels);
    for (u32 i = local_index(); i < all && all <= FILTER_BILATERAL_WEIGHTS; i += FILTER_GROUP_ITEMS)
        kept[i] = weights[i];
    barrier_local();
    LOCAL const u32 *first = pixels + (y - tile.top + radius) * side + x - tile.left + radius;
    UNROLL for (u32 i = 0; i < BILATERAL_ROWS; i++)
    {
        own[i] = first[i * step];
        sum[i].total = sum[i].first = sum[i].second = sum[i].third = 0;
    }
    for (u32 k = 0; k < neighbours; k++) {
        LOCAL const u32 *place = first + (i16)(places[k] & 0xFFFF);
        u32 row = places[k] >> 16;
        UNROLL for (u32 i = 0; i < BILATERAL_ROWS; i++)
        {
            u32 other = place[i * step], index = row + smaller(distance_of(own[i], other), last);
            add_weighed(&sum[i], other, all <= FILTER_BILATERAL_WEIGHTS ? kept[index] : weights[index]);
        }
    }
    UNROLL for (u32 i = 0; i < BILATERAL_ROWS; i++)
    {
        u32 at = y + i * FILTER_TILE_ROWS;
        if (x < tile.right && at < tile.bottom)
            store_means(record, source_pixel(record, from, x, at), target_pixel(record, to, x, at), sum[i]);
    }
}

/* Return the first colour of a pixel of a tile, and the second one above it; *third receives the third one. */
FUNCTION u32 wide_colours(
    GLOBAL const struct filter_record *record, GLOBAL const u8 *from, u32 x, u32 y, LOCAL u16 *third)
{
    GLOBAL const u8 *pixel = source_pixel(record, from, x, y);
    u32 more = record->colours == 3;
    *third = (u16)(more ? load_sample(pixel, 2, 2) : 0);
    return load_sample(pixel, 0, 2) | (more ? load_sample(pixel, 1, 2) << 16 : 0);
}

/* Load a tile of samples of more than 8 bits, and its border. */
FUNCTION void load_wide(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct filter_tile *tile, u32 border, LOCAL u32 *pairs, LOCAL u16 *thirds)
{
    u32 side = FILTER_TILE + 2 * border;
    for (u32 i = local_index(); i < side * side; i += FILTER_GROUP_ITEMS) {
        i32 x = (i32)(tile->left + i % side) - (i32)border, y = (i32)(tile->top + i / side) - (i32)border;
        pairs[i] = wide_colours(
            record, from, (u32)mirrored(x, (i32)record->width), (u32)mirrored(y, (i32)record->height), thirds + i);
    }
}

/* Return how many steps of 2^shift two samples are apart, rounded. */
FUNCTION u32 steps_apart(u32 a, u32 b, u32 shift)
{
    return smaller(magnitude_of((i32)a - (i32)b) + ((1u << shift) >> 1), 0xFFFF) >> shift;
}

/* Holds the sums over the neighbours of a pixel of more than 8 bits. */
struct weighed_samples {
    u32 total;
    u64 first, second, third;
};

/* Store the rounded means. Alpha is copied from the source. */
FUNCTION void store_wide_means(
    GLOBAL const struct filter_record *record, GLOBAL const u8 *source, GLOBAL u8 *target, struct weighed_samples sum)
{
    u32 colours = record->colours;
    store_sample(target, 0, 2, (u32)((sum.first + sum.total / 2) / sum.total));
    if (colours == 3) {
        store_sample(target, 1, 2, (u32)((sum.second + sum.total / 2) / sum.total));
        store_sample(target, 2, 2, (u32)((sum.third + sum.total / 2) / sum.total));
    }
    if (record->channels > colours)
        store_sample(target, colours, 2, load_sample(source, colours, 2));
}

/* Oclgrind counts the local memory of kernels whose names begin alike together, so the name has its own beginning. */
KERNEL(FILTER_GROUP_ITEMS)
filter_wide_bilateral(FILTER_ARGUMENTS)
{
    SHARED u32 pairs[BILATERAL_SIDE * BILATERAL_SIDE];
    SHARED u16 thirds[BILATERAL_SIDE * BILATERAL_SIDE], kept[FILTER_BILATERAL_TABLE];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u16 *weights = (GLOBAL const u16 *)(GLOBAL const void *)(work + record->value[BILATERAL_WEIGHTS]);
    GLOBAL const u32 *places = work + record->value[BILATERAL_PLACES];
    u32 radius = (u32)record->value[BILATERAL_RADIUS], shift = (u32)record->value[BILATERAL_SHIFT];
    u32 last = (u32)record->value[BILATERAL_ROW] - 1, neighbours = (u32)record->value[BILATERAL_COUNT];
    u32 side = FILTER_TILE + 2 * radius, step = FILTER_TILE_ROWS * side, x = own_column(&tile), y = own_row(&tile);
    u32 first = (y - tile.top + radius) * side + x - tile.left + radius;
    struct weighed_samples sum[BILATERAL_ROWS];
    (void)extra;
    load_wide(record, from, &tile, radius, pairs, thirds);
    for (u32 i = local_index(); i <= last; i += FILTER_GROUP_ITEMS)
        kept[i] = weights[i];
    barrier_local();
    UNROLL for (u32 i = 0; i < BILATERAL_ROWS; i++)
    {
        sum[i].total = 0;
        sum[i].first = sum[i].second = sum[i].third = 0;
    }
    for (u32 k = 0; k < neighbours; k++) {
        u32 other_place = first + (u32)(i32)(i16)(places[k] & 0xFFFF), space = places[k] >> 16;
        UNROLL for (u32 i = 0; i < BILATERAL_ROWS; i++)
        {
            u32 own = pairs[first + i * step], other = pairs[other_place + i * step];
            u32 third = thirds[other_place + i * step];
            u32 index = steps_apart(own & 0xFFFF, other & 0xFFFF, shift) + steps_apart(own >> 16, other >> 16, shift) +
                        steps_apart(thirds[first + i * step], third, shift);
            u32 weight = (kept[smaller(index, last)] * space + (1u << 14)) >> 15;
            sum[i].total += weight;
            sum[i].first += (u64)weight * (other & 0xFFFF);
            sum[i].second += (u64)weight * (other >> 16);
            sum[i].third += (u64)weight * third;
        }
    }
    UNROLL for (u32 i = 0; i < BILATERAL_ROWS; i++)
    {
        u32 at = y + i * FILTER_TILE_ROWS;
        if (x < tile.right && at < tile.bottom)
            store_wide_means(record, source_pixel(record, from, x, at), target_pixel(record, to, x, at), sum[i]);
    }
}
