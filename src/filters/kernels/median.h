/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces each sample by the median of the samples around it, as filters/cpu/median.c does. */
#include "filters/kernels/record.h"

enum {
    MEDIAN_BORDER = 15,
    MEDIAN_SIDE = FILTER_TILE + 2 * MEDIAN_BORDER,
    MEDIAN_NEAR = 3, /* the greatest radius of windows with up to 64 samples */
    MEDIAN_LINES = FILTER_MEDIAN_ROWS + 2 * MEDIAN_NEAR,
    MEDIAN_EIGHTS = (FILTER_TILE + 2 * MEDIAN_NEAR + 7) / 8,             /* of eight columns each, in a row of a tile */
    MEDIAN_STRIP = FILTER_MEDIAN_ROWS * FILTER_TILE / FILTER_GROUP_ITEMS /* rows of a column that a work-item makes */
};

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

/* Transpose 8 × 8 bits: bit i of byte j changes its place with bit j of byte i. */
FUNCTION u32x2 transpose_bits(u32 low, u32 high)
{
    u32 t = (low ^ low >> 7) & 0x00AA00AA;
    low ^= t ^ t << 7;
    t = (high ^ high >> 7) & 0x00AA00AA;
    high ^= t ^ t << 7;
    t = (low ^ low >> 14) & 0x0000CCCC;
    low ^= t ^ t << 14;
    t = (high ^ high >> 14) & 0x0000CCCC;
    high ^= t ^ t << 14;
    t = (low ^ high << 4) & 0xF0F0F0F0;
    return make_u32x2(low ^ t, high ^ t >> 4);
}

/* Write the bits of eight samples' bytes to the planes from `plane` on: a byte in each. */
FUNCTION void put_planes(LOCAL u8 *plane, u32 low, u32 high)
{
    const u32 step = MEDIAN_LINES * 8;
    u32x2 bits = transpose_bits(low, high);
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        plane[i * step] = (u8)(bits.x >> 8 * i);
        plane[(i + 4) * step] = (u8)(bits.y >> 8 * i);
    }
}

/*
 * Load a channel of a tile and its border. `planes` has a plane for each bit of samples, of 64 bits for each row; bit i
 * belongs to column i.
 */
FUNCTION void load_planes(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct filter_tile *tile, u32 channel, const u32 bytes, LOCAL u32x2 *planes)
{
    i32 radius = record->value[0], width = (i32)record->width, height = (i32)record->height;
    u32 lines = FILTER_MEDIAN_ROWS + 2 * (u32)radius;
    for (u32 i = local_index(); i < lines * MEDIAN_EIGHTS; i += FILTER_GROUP_ITEMS) {
        u32 line = i / MEDIAN_EIGHTS, eight = i % MEDIAN_EIGHTS,
            y = (u32)held_in((i32)(tile->top + line) - radius, height);
        u32 low[2] = {0, 0}, high[2] = {0, 0};
        GLOBAL const u8 *row = source_pixel(record, from, 0, y);
        UNROLL for (u32 j = 0; j < 8; j++)
        {
            u32 x = (u32)held_in((i32)(tile->left + 8 * eight + j) - radius, width);
            u32 sample = load_sample(row, x * record->channels + channel, bytes);
            low[j / 4] |= (sample & 255) << j % 4 * 8;
            high[j / 4] |= (sample >> 8) << j % 4 * 8;
        }
        LOCAL u8 *plane = (LOCAL u8 *)planes + line * 8 + eight;
        put_planes(plane, low[0], low[1]);
        if (bytes == 2)
            put_planes(plane + MEDIAN_LINES * 8 * 8, high[0], high[1]);
    }
}

/*
 * Return the median of a window, whose bits lie in the upper side² bits of 64 for each bit of samples. From the highest
 * bit down, samples that differ from the median in that bit are no longer candidates.
 */
FUNCTION u32 median_of_window(const u32 *low, const u32 *high, u32 area, const u32 bits)
{
    u32 candidates = area > 32 ? 0 - (1u << (64 - area)) : 0, others = area < 32 ? 0 - (1u << (32 - area)) : 0xFFFFFFFF;
    u32 rank = area / 2 + 1, zeros = 0; /* the rank is counted from the greatest candidate */
    UNROLL for (u32 i = bits; i > 0; i--)
    {
        u32 number = ones(candidates & low[i - 1]) + ones(others & high[i - 1]);
        u32 is_zero = number < rank ? 0xFFFFFFFF : 0;
        candidates &= low[i - 1] ^ is_zero;
        others &= high[i - 1] ^ is_zero;
        rank -= number & is_zero;
        zeros = 2 * zeros - is_zero;
    }
    return (1u << bits) - 1 - zeros;
}

/* Make a channel of a tile from its planes, of `bits` bits. */
FUNCTION void make_medians(GLOBAL const struct filter_record *record, GLOBAL u8 *to, const struct filter_tile *tile,
    u32 channel, const u32 bits, LOCAL const u32x2 *planes)
{
    u32 low[16], high[16], column = local_index() % FILTER_TILE, first = local_index() / FILTER_TILE * MEDIAN_STRIP;
    u32 border = 2 * (u32)record->value[0], side = border + 1, x = tile->left + column, pitch = record->to_pitch;
    u32 lines = tile->bottom - tile->top + border, end = smaller(first + MEDIAN_STRIP + border, lines);
    UNROLL for (u32 i = 0; i < bits; i++) low[i] = high[i] = 0;
    if (x >= tile->right || first + border >= lines)
        return;
    GLOBAL u8 *target = target_pixel(record, to, x, tile->top + first);
    ROLL for (u32 line = first; line < end; line++)
    {
        UNROLL for (u32 i = 0; i < bits; i++)
        {
            u32x2 row = planes[i * MEDIAN_LINES + line];
            low[i] = shift_pair(low[i], high[i], side);
            high[i] = shift_pair(high[i], shift_pair(row.x, row.y, column), side);
        }
        if (line < first + border)
            continue;
        store_sample(target, channel, bits / 8, median_of_window(low, high, side * side, bits));
        target += pitch;
    }
}

/* Defines kernels for windows of up to 64 samples, of one or two bytes. value: the radius. */
#define MEDIAN_KERNEL(name, bytes)                                                                                     \
    KERNEL(FILTER_GROUP_ITEMS)                                                                                         \
    name(FILTER_ARGUMENTS)                                                                                             \
    {                                                                                                                  \
        SHARED u32x2 planes[8 * (bytes)*MEDIAN_LINES];                                                                 \
        u32 group;                                                                                                     \
        GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);                   \
        struct filter_tile tile = tile_of_rows(record, group, FILTER_MEDIAN_ROWS);                                     \
        (void)extra;                                                                                                   \
        for (u32 c = 0; c < record->channels; c++) {                                                                   \
            load_planes(record, from, &tile, c, bytes, planes);                                                        \
            barrier_local();                                                                                           \
            make_medians(record, to, &tile, c, 8 * (bytes), planes);                                                   \
            barrier_local();                                                                                           \
        }                                                                                                              \
    }

MEDIAN_KERNEL(filter_median_near, 1)
MEDIAN_KERNEL(filter_wide_median_near, 2)
