/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes gradients by Sobel's operators, of tiles whose samples and a border lie in the work-group's memory. */
#include "filters/kernels/record.h"

/* Rows of Pascal's triangle for apertures of 3, 5 and 7, and what derivation makes of those before. */
TABLE i32 sobel_smooth[3][7] = {{1, 2, 1, 0, 0, 0, 0}, {1, 4, 6, 4, 1, 0, 0}, {1, 6, 15, 20, 15, 6, 1}};
TABLE i32 sobel_derived[3][7] = {{-1, 0, 1, 0, 0, 0, 0}, {-1, -2, 0, 2, 1, 0, 0}, {-1, -4, -5, 0, 5, 4, 1}};

enum { COLOURS = 3, BORDER = 4 /* pixels that a tile needs around it, at most */, SIDE = FILTER_TILE + 2 * BORDER };

struct filter_slope {
    i32 x, y;
};

/*
 * Load the colours of a tile and of `border` pixels around it; outside the image lie its outermost ones. Whole
 * work-group.
 */
FUNCTION void load_bytes(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct filter_tile *tile, u32 border, LOCAL u8 *samples)
{
    u32 side = FILTER_TILE + 2 * border, colours = record->colours;
    for (u32 i = local_index(); i < side * side; i += FILTER_GROUP_ITEMS) {
        u32 x = (u32)held_in((i32)(tile->left + i % side) - (i32)border, (i32)record->from_width);
        u32 y = (u32)held_in((i32)(tile->top + i / side) - (i32)border, (i32)record->from_height);
        GLOBAL const u8 *pixel = source_pixel(record, from, x, y);
        for (u32 c = 0; c < colours; c++)
            samples[i * colours + c] = pixel[c];
    }
    barrier_local();
}

/* Return a sixteenth, rounded to the nearest integer, to an even one where two are as near. */
FUNCTION i32 round_sixteenth(i32 value)
{
    return (value + 7 + ((value >> 4) & 1)) >> 4;
}

FUNCTION struct filter_slope slope_by_three(LOCAL const u8 *own, i32 step, i32 down)
{
    i32 a = own[-down - step], b = own[-down], c = own[-down + step], d = own[-step], e = own[step];
    i32 f = own[down - step], g = own[down], h = own[down + step];
    struct filter_slope slope;
    slope.x = c - a + 2 * (e - d) + h - f;
    slope.y = f - a + 2 * (g - b) + h - c;
    return slope;
}

/* Compute the gradient at a sample, from those `step` beside and `down` below it. */
FUNCTION struct filter_slope slope_at(LOCAL const u8 *own, i32 step, i32 down, i32 radius)
{
    struct filter_slope slope;
    if (radius == 1)
        return slope_by_three(own, step, down);
    slope.x = slope.y = 0;
    for (i32 y = 0; y <= 2 * radius; y++)
        for (i32 x = 0; x <= 2 * radius; x++) {
            i32 value = own[(y - radius) * down + (x - radius) * step];
            slope.x += sobel_smooth[radius - 1][y] * sobel_derived[radius - 1][x] * value;
            slope.y += sobel_derived[radius - 1][y] * sobel_smooth[radius - 1][x] * value;
        }
    slope.x = radius == 3 ? round_sixteenth(slope.x) : slope.x;
    slope.y = radius == 3 ? round_sixteenth(slope.y) : slope.y;
    return slope;
}

/* Return the root, rounded down, but 255 at most. */
FUNCTION u32 root_of(u32 square)
{
    u32 made = 0;
    for (u32 bit = 128; bit > 0; bit >>= 1)
        made += (made + bit) * (made + bit) <= square ? bit : 0;
    return made;
}

/* Return what is shown of a gradient: the sum of the magnitudes, the vector's length, or one of the magnitudes. */
FUNCTION u32 shown_of(struct filter_slope slope, i32 shown)
{
    if (shown == 0)
        return magnitude_of(slope.x) + magnitude_of(slope.y);
    if (shown == 1)
        return root_of((u32)(slope.x * slope.x + slope.y * slope.y));
    return magnitude_of(shown == 2 ? slope.x : slope.y);
}

/* value: the radius of the operator; what is shown. */
KERNEL(FILTER_GROUP_ITEMS)
filter_sobel(FILTER_ARGUMENTS)
{
    SHARED u8 samples[SIDE * SIDE * COLOURS];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 radius = (u32)record->value[0], x = own_column(&tile), colours = record->colours;
    u32 side = FILTER_TILE + 2 * radius;
    (void)extra;
    load_bytes(record, from, &tile, radius, samples);
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        u32 at = ((y - tile.top + radius) * side + x - tile.left + radius) * colours;
        for (u32 c = 0; c < colours; c++) {
            struct filter_slope slope = slope_at(samples + at + c, (i32)colours, (i32)(side * colours), (i32)radius);
            target[c] = (u8)smaller(shown_of(slope, record->value[1]), record->greatest);
        }
        if (record->channels > colours)
            target[colours] = (u8)smaller(source_pixel(record, from, x, y)[colours], record->greatest);
    }
}
