/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces each sample by the median of the samples around it, as filters/cpu/median.c does. */
#include "filters/kernels/record.h"

enum { MEDIAN_BORDER = 15, MEDIAN_SIDE = FILTER_TILE + 2 * MEDIAN_BORDER };

/* Load a channel of a tile and its border; pixels outside the image are replaced by its outermost ones. */
FUNCTION void load_channel(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct filter_tile *tile, u32 border, u32 channel, LOCAL u16 *samples)
{
    u32 side = FILTER_TILE + 2 * border;
    for (u32 i = local_index(); i < side * side; i += FILTER_GROUP_ITEMS) {
        u32 x = (u32)held_in((i32)(tile->left + i % side) - (i32)border, (i32)record->width);
        u32 y = (u32)held_in((i32)(tile->top + i / side) - (i32)border, (i32)record->height);
        samples[i] = (u16)load_sample(source_pixel(record, from, x, y), channel, record->bytes);
    }
}

FUNCTION u32 greater(u32 a, u32 b)
{
    return a > b ? a : b;
}

FUNCTION u32 middle_of(u32 a, u32 b, u32 c)
{
    return greater(smaller(a, b), smaller(greater(a, b), c));
}

/*
 * Return the median of nine samples. It is the median of three: the greatest of the columns' minima, the median of
 * their medians, and the least of their maxima.
 */
FUNCTION u32 median_of_nine(LOCAL const u16 *own, i32 side)
{
    u32 lowest = 0, highest = 0xFFFF, middle[3];
    for (i32 i = -1; i <= 1; i++) {
        u32 a = own[i - side], b = own[i], c = own[i + side];
        lowest = greater(lowest, smaller(smaller(a, b), c));
        highest = smaller(highest, greater(greater(a, b), c));
        middle[i + 1] = middle_of(a, b, c);
    }
    return middle_of(lowest, middle_of(middle[0], middle[1], middle[2]), highest);
}

/* Find the bits of the median from the highest one down, by counting how many samples are below a value. */
FUNCTION u32 median_by_bits(LOCAL const u16 *own, i32 side, i32 radius, u32 bits)
{
    u32 most = (u32)((2 * radius + 1) * (2 * radius + 1) / 2), median = 0;
    for (u32 bit = 1u << (bits - 1); bit > 0; bit >>= 1) {
        u32 below = 0;
        for (i32 y = -radius; y <= radius; y++)
            for (i32 x = -radius; x <= radius; x++)
                below += own[y * side + x] < median + bit;
        median += below <= most ? bit : 0;
    }
    return median;
}

/* value: the radius. */
KERNEL(FILTER_GROUP_ITEMS)
filter_median(FILTER_ARGUMENTS)
{
    SHARED u16 samples[MEDIAN_SIDE * MEDIAN_SIDE];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 radius = (u32)record->value[0], side = FILTER_TILE + 2 * radius, x = own_column(&tile);
    (void)extra;
    for (u32 c = 0; c < record->channels; c++) {
        load_channel(record, from, &tile, radius, c, samples);
        barrier_local();
        for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
            LOCAL const u16 *own = samples + (y - tile.top + radius) * side + x - tile.left + radius;
            u32 median = radius == 1 ? median_of_nine(own, (i32)side)
                                     : median_by_bits(own, (i32)side, (i32)radius, record->bytes * 8);
            store_sample(target_pixel(record, to, x, y), c, record->bytes, median);
        }
        barrier_local();
    }
}
