/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes gradients by Sobel's operators for tiles whose samples, with a border, lie in local memory. */
#include "kernels/dots.h"

#include "filters/kernels/record.h"

/* Rows of Pascal's triangle for apertures of 3, 5 and 7, and differences of the rows before them. */
TABLE i32 sobel_smooth[3][7] = {{1, 2, 1, 0, 0, 0, 0}, {1, 4, 6, 4, 1, 0, 0}, {1, 6, 15, 20, 15, 6, 1}};
TABLE i32 sobel_derived[3][7] = {{-1, 0, 1, 0, 0, 0, 0}, {-1, -2, 0, 2, 1, 0, 0}, {-1, -4, -5, 0, 5, 4, 1}};

enum {
    BORDER = 4, /* the most pixels that a tile needs around it */
    SIDE = FILTER_TILE + 2 * BORDER,
    LOADS = SIDE / FILTER_TILE_ROWS /* the most rows of a column that a work-item loads */
};

struct filter_slope {
    i32 x, y;
};

/*
 * Return the colours of a pixel in a word, or with `grey` their luminance. Its weights, in units of 2^−15, are two in
 * the halves of value[4] and one in value[5].
 */
FUNCTION u32 tile_pixel(GLOBAL const struct filter_record *record, GLOBAL const u8 *pixel, const u32 grey)
{
    u32 word = packed_pixel(pixel, record->colours);
    if (!grey || record->colours == 1)
        return word;
    word = dot_halves_low((u32)record->value[4], word, dot_halves_high((u32)record->value[5], word, 1u << 14));
    return word >> 15;
}

/* Load the columns behind the first FILTER_TILE ones: 2 × border columns, up to 8. */
FUNCTION void load_last_columns(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct filter_tile *tile, u32 border, const u32 grey, LOCAL u32 *pixels)
{
    u32 side = FILTER_TILE + 2 * border, column = FILTER_TILE + local_index() % (2 * BORDER);
    u32 x = (u32)held_in((i32)(tile->left + column) - (i32)border, (i32)record->from_width);
    if (column >= side)
        return;
    for (u32 row = local_index() / (2 * BORDER); row < side; row += FILTER_GROUP_ITEMS / (2 * BORDER)) {
        u32 y = (u32)held_in((i32)(tile->top + row) - (i32)border, (i32)record->from_height);
        pixels[row * side + column] = tile_pixel(record, source_pixel(record, from, x, y), grey);
    }
}

/*
 * Load a tile and `border` pixels around it, a pixel in each word; pixels outside the image are replaced by its
 * outermost ones; with `grey` its luminance. All rows of a work-item's column are requested before the first one is
 * waited for. Whole work-group.
 */
FUNCTION void load_tile(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct filter_tile *tile, u32 border, const u32 grey, LOCAL u32 *pixels)
{
    u32 side = FILTER_TILE + 2 * border, loaded[LOADS];
    u32 column = local_index() % FILTER_TILE, first = local_index() / FILTER_TILE;
    i32 top = (i32)(tile->top + first) - (i32)border, height = (i32)record->from_height;
    u32 x = (u32)held_in((i32)(tile->left + column) - (i32)border, (i32)record->from_width);
    UNROLL for (u32 k = 0; k < LOADS; k++)
    {
        u32 y = (u32)held_in(top + (i32)(k * FILTER_TILE_ROWS), height);
        loaded[k] = tile_pixel(record, source_pixel(record, from, x, y), grey);
    }
    UNROLL for (u32 k = 0; k < LOADS; k++)
    {
        if (first + k * FILTER_TILE_ROWS < side)
            pixels[(first + k * FILTER_TILE_ROWS) * side + column] = loaded[k];
    }
    load_last_columns(record, from, tile, border, grey, pixels);
    barrier_local();
}

/* Return a sixteenth of a value, rounded to nearest, ties to even. */
FUNCTION i32 round_sixteenth(i32 value)
{
    return (value + 7 + ((value >> 4) & 1)) >> 4;
}

/*
 * Holds the horizontal differences at a pixel, and the smoothed row: those of the first and the third colour in the
 * halves of a word, and that of the second colour in another word. Halves are added up modulo 2^32, borrows included.
 */
struct sobel_row {
    u32 across, across_second, smooth, smooth_second;
};

FUNCTION struct sobel_row sobel_row_at(LOCAL const u32 *own)
{
    u32 a = own[-1], b = own[0], c = own[1];
    u32 left = a & 0x00FF00FF, middle = b & 0x00FF00FF, right = c & 0x00FF00FF;
    struct sobel_row row;
    row.across = right - left;
    row.smooth = left + 2 * middle + right;
    left = a >> 8;
    middle = b >> 8;
    right = c >> 8;
    row.across_second = (right & 255) - (left & 255);
    row.smooth_second = (left & 255) + 2 * (middle & 255) + (right & 255);
    return row;
}

/* Holds the gradients of three colours. */
struct sobel_slopes {
    struct filter_slope colour[3];
};

/* Split a word into the two numbers of which it is the sum, the third colour's shifted by 16 bits. */
FUNCTION void part_halves(u32 word, i32 *first, i32 *third)
{
    *first = (i16)(word & 0xFFFF);
    *third = (i16)((word - (u32)*first) >> 16);
}

/* Compute the gradients of a pixel with an aperture of 3, from its row, the one above, and the one below. */
FUNCTION struct sobel_slopes slopes_by_three(
    const struct sobel_row *above, const struct sobel_row *own, const struct sobel_row *below)
{
    struct sobel_slopes made;
    part_halves(above->across + 2 * own->across + below->across, &made.colour[0].x, &made.colour[2].x);
    part_halves(below->smooth - above->smooth, &made.colour[0].y, &made.colour[2].y);
    made.colour[1].x = (i32)(above->across_second + 2 * own->across_second + below->across_second);
    made.colour[1].y = (i32)(below->smooth_second - above->smooth_second);
    return made;
}

/* Compute the gradient of the colour that begins at bit `shift`, from pixels that are `down` apart in a column. */
FUNCTION struct filter_slope slope_at(LOCAL const u32 *own, u32 shift, i32 down, i32 radius)
{
    struct filter_slope slope;
    slope.x = slope.y = 0;
    for (i32 y = 0; y <= 2 * radius; y++)
        for (i32 x = 0; x <= 2 * radius; x++) {
            i32 value = (i32)(own[(y - radius) * down + x - radius] >> shift & 255);
            slope.x += sobel_smooth[radius - 1][y] * sobel_derived[radius - 1][x] * value;
            slope.y += sobel_derived[radius - 1][y] * sobel_smooth[radius - 1][x] * value;
        }
    slope.x = radius == 3 ? round_sixteenth(slope.x) : slope.x;
    slope.y = radius == 3 ? round_sixteenth(slope.y) : slope.y;
    return slope;
}

/* Compute the gradients of a pixel; those of missing colours are 0. */
FUNCTION struct sobel_slopes slopes_at(LOCAL const u32 *own, i32 down, i32 radius, u32 colours)
{
    struct sobel_slopes made;
    if (radius == 1) {
        struct sobel_row above = sobel_row_at(own - down), row = sobel_row_at(own), below = sobel_row_at(own + down);
        return slopes_by_three(&above, &row, &below);
    }
    for (u32 c = 0; c < 3; c++) {
        made.colour[c].x = made.colour[c].y = 0;
        if (c < colours)
            made.colour[c] = slope_at(own, 8 * c, down, radius);
    }
    return made;
}

/* Return the square root of a number below 2^32, rounded down. */
FUNCTION u32 root_of(u32 square)
{
    u32 made = 0;
    for (u32 bit = square < 1u << 16 ? 1u << 7 : 1u << 15; bit > 0; bit >>= 1)
        made += (made + bit) * (made + bit) <= square ? bit : 0;
    return made;
}

/*
 * Return the sample that shows a gradient: the sum of the magnitudes, the vector's length, or one of the magnitudes; at
 * most `greatest`.
 */
FUNCTION u32 shown_of(struct filter_slope slope, i32 shown, u32 greatest)
{
    u32 x = magnitude_of(slope.x), y = magnitude_of(slope.y);
    if (shown == 1) {
        u64 square = (u64)x * x + (u64)y * y, most = (u64)greatest * greatest;
        return square < most ? root_of((u32)square) : greatest;
    }
    return smaller(shown == 0 ? x + y : shown == 2 ? x : y, greatest);
}

/* value: the radius of the operator; which number is shown. */
KERNEL(FILTER_GROUP_ITEMS)
filter_sobel(FILTER_ARGUMENTS)
{
    SHARED u32 pixels[SIDE * SIDE];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 radius = (u32)record->value[0], x = own_column(&tile), colours = record->colours;
    u32 side = FILTER_TILE + 2 * radius;
    (void)extra;
    load_tile(record, from, &tile, radius, 0, pixels);
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        LOCAL const u32 *own = pixels + (y - tile.top + radius) * side + x - tile.left + radius;
        struct sobel_slopes made = slopes_at(own, (i32)side, (i32)radius, colours);
        UNROLL for (u32 c = 0; c < 3; c++)
        {
            if (c < colours)
                target[c] = (u8)shown_of(made.colour[c], record->value[1], record->greatest);
        }
        if (record->channels > colours)
            target[colours] = (u8)smaller(source_pixel(record, from, x, y)[colours], record->greatest);
    }
}

/* Load a channel of a tile of samples of 16 bits, and `border` samples around it. Whole work-group. */
FUNCTION void load_samples(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct filter_tile *tile, u32 border, u32 channel, LOCAL u32 *samples)
{
    u32 side = FILTER_TILE + 2 * border;
    barrier_local();
    for (u32 i = local_index(); i < side * side; i += FILTER_GROUP_ITEMS) {
        u32 x = (u32)held_in((i32)(tile->left + i % side) - (i32)border, (i32)record->from_width);
        u32 y = (u32)held_in((i32)(tile->top + i / side) - (i32)border, (i32)record->from_height);
        samples[i] = load_sample(source_pixel(record, from, x, y), channel, 2);
    }
    barrier_local();
}

/* Compute the gradient of a sample among samples that are `down` apart in a column. */
FUNCTION struct filter_slope wide_slope_at(LOCAL const u32 *own, i32 down, i32 radius)
{
    struct filter_slope slope;
    slope.x = slope.y = 0;
    for (i32 y = 0; y <= 2 * radius; y++)
        for (i32 x = 0; x <= 2 * radius; x++) {
            i32 value = (i32)own[(y - radius) * down + x - radius];
            slope.x += sobel_smooth[radius - 1][y] * sobel_derived[radius - 1][x] * value;
            slope.y += sobel_derived[radius - 1][y] * sobel_smooth[radius - 1][x] * value;
        }
    return slope;
}

/* value: as for filter_sobel. */
KERNEL(FILTER_GROUP_ITEMS)
filter_wide_sobel(FILTER_ARGUMENTS)
{
    SHARED u32 samples[SIDE * SIDE];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 radius = (u32)record->value[0], x = own_column(&tile), side = FILTER_TILE + 2 * radius;
    (void)extra;
    for (u32 c = 0; c < record->channels; c++) {
        if (c < record->colours)
            load_samples(record, from, &tile, radius, c, samples);
        for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
            LOCAL const u32 *own = samples + (y - tile.top + radius) * side + x - tile.left + radius;
            u32 value = c < record->colours
                            ? shown_of(wide_slope_at(own, (i32)side, (i32)radius), record->value[1], record->greatest)
                            : smaller(load_sample(source_pixel(record, from, x, y), c, 2), record->greatest);
            store_sample(target_pixel(record, to, x, y), c, 2, value);
        }
    }
}
