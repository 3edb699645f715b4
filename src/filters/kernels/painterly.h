/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paints strokes as filters/cpu/painterly.c does. Each work-item finds the stroke of a cell; then each set of 32
 * work-items paints one stroke after the other, by atomic maxima, so that the order does not matter.
 */
#include "filters/kernels/points.h"

enum { /* indices of values; those before belong to luminance */
    STROKE_RADIUS = 3,
    STROKE_LENGTH,
    STROKE_THRESHOLD,
    STROKE_FIRST, /* whether this is the thickest brush */
    STROKE_CELLS  /* cells of a row */
};
enum { STROKE_POINTS = FILTER_STROKE_LENGTH + 1, STROKE_LANES = 32, STROKE_PAINTED = 0x80 };

/*
 * Describes a cell: its first pixel, and its right and lower end. The points of strokes are relative to the first
 * pixel.
 */
struct stroke_cell {
    i32 left, top, right, bottom;
};

struct stroke_place {
    i32 x, y;
};

/* Return the colours of a pixel, a byte each. */
FUNCTION u32 colours_at(GLOBAL const struct filter_record *record, GLOBAL const u8 *pixel)
{
    u32 colours = pixel[0];
    return record->colours == 1 ? colours : colours | (u32)pixel[1] << 8 | (u32)pixel[2] << 16;
}

FUNCTION u32 reference_at(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, struct stroke_place at)
{
    return colours_at(record, source_pixel(record, from, (u32)at.x, (u32)at.y));
}

FUNCTION u32 canvas_at(GLOBAL const struct filter_record *record, GLOBAL u8 *to, struct stroke_place at)
{
    return colours_at(record, target_pixel(record, to, (u32)at.x, (u32)at.y));
}

/* Return the sum of the absolute differences of colours. */
FUNCTION i32 stroke_distance(u32 a, u32 b)
{
    return (i32)(magnitude_of((i32)(a & 255) - (i32)(b & 255)) +
                 magnitude_of((i32)(a >> 8 & 255) - (i32)(b >> 8 & 255)) +
                 magnitude_of((i32)(a >> 16) - (i32)(b >> 16)));
}

/* Return a pseudo-random pixel of a cell, which depends only on the cell. */
FUNCTION struct stroke_place any_of_cell(const struct stroke_cell *cell)
{
    u32 mixed = ((u32)cell->left * 73856093u) ^ ((u32)cell->top * 19349663u);
    struct stroke_place place;
    mixed = (mixed ^ mixed >> 15) * 2246822519u;
    place.x = cell->left + (i32)((mixed >> 8) % (u32)(cell->right - cell->left));
    place.y = cell->top + (i32)((mixed >> 20) % (u32)(cell->bottom - cell->top));
    return place;
}

/* Find where the stroke of a cell begins. Returns whether there is one. */
FUNCTION u32 find_stroke(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, GLOBAL u8 *to,
    const struct stroke_cell *cell, struct stroke_place *start)
{
    i32 sum = 0, most = -1;
    struct stroke_place at;
    *start = any_of_cell(cell);
    if (record->value[STROKE_FIRST])
        return 1;
    for (at.y = cell->top; at.y < cell->bottom; at.y++)
        for (at.x = cell->left; at.x < cell->right; at.x++) {
            i32 differs = stroke_distance(reference_at(record, from, at), canvas_at(record, to, at));
            sum += differs;
            if (differs > most) {
                most = differs;
                *start = at;
            }
        }
    return sum > record->value[STROKE_THRESHOLD] * (cell->right - cell->left) * (cell->bottom - cell->top);
}

FUNCTION i32 reference_luminance(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, i32 x, i32 y)
{
    u32 column = (u32)held_in(x, (i32)record->width), row = (u32)held_in(y, (i32)record->height);
    return (i32)luminance_of(record, source_pixel(record, from, column, row));
}

/* Return the direction of the contour at a pixel: the gradient by Sobel's operator, turned by 90 degrees. */
FUNCTION struct stroke_place contour_at(
    GLOBAL const struct filter_record *record, GLOBAL const u8 *from, struct stroke_place at)
{
    i32 dx = 0, dy = 0;
    struct stroke_place way;
    for (i32 i = -1; i <= 1; i++) {
        i32 weight = 2 - i * i;
        dx += weight * (reference_luminance(record, from, at.x + 1, at.y + i) -
                           reference_luminance(record, from, at.x - 1, at.y + i));
        dy += weight * (reference_luminance(record, from, at.x + i, at.y + 1) -
                           reference_luminance(record, from, at.x + i, at.y - 1));
    }
    way.x = -dy;
    way.y = dx;
    return way;
}

/* Return the length of a vector, whose square is up to 2^22, rounded down. */
FUNCTION i32 length_of_way(struct stroke_place way)
{
    i32 made = 0, square = way.x * way.x + way.y * way.y;
    for (i32 bit = 1024; bit > 0; bit >>= 1)
        made += (made + bit) * (made + bit) <= square ? bit : 0;
    return made;
}

/* Return part × radius ÷ whole, rounded to nearest, halves away from 0. */
FUNCTION i32 scaled_part(i32 part, i32 radius, i32 whole)
{
    i32 made = (2 * (i32)magnitude_of(part) * radius + whole) / (2 * whole);
    return part < 0 ? -made : made;
}

FUNCTION u32 packed_point(const struct stroke_cell *cell, struct stroke_place at)
{
    return ((u32)(at.x - cell->left) & 0xFFFF) | (u32)(at.y - cell->top) << 16;
}

/* Follow the contour from a point. Returns the number of points of the stroke. */
FUNCTION u32 trace_stroke(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, GLOBAL u8 *to,
    const struct stroke_cell *cell, struct stroke_place at, u32 colour, LOCAL u32 *points)
{
    i32 radius = record->value[STROKE_RADIUS], threshold = record->value[STROKE_THRESHOLD];
    u32 made = 1;
    struct stroke_place last;
    last.x = last.y = 0;
    points[0] = packed_point(cell, at);
    while (made <= (u32)record->value[STROKE_LENGTH]) {
        u32 own = reference_at(record, from, at);
        i32 off = stroke_distance(own, colour);
        if (off > threshold && off > stroke_distance(own, canvas_at(record, to, at)))
            break;
        struct stroke_place way = contour_at(record, from, at);
        i32 length = length_of_way(way);
        if (length == 0)
            break;
        i32 turn = way.x * last.x + way.y * last.y < 0 ? -1 : 1;
        last.x = turn * way.x;
        last.y = turn * way.y;
        at.x += scaled_part(last.x, radius, length);
        at.y += scaled_part(last.y, radius, length);
        if (at.x < 0 || at.y < 0 || at.x >= (i32)record->width || at.y >= (i32)record->height)
            break;
        points[made++] = packed_point(cell, at);
    }
    return made;
}

/*
 * Find the stroke of a cell, and its word: half the luminance with the highest bit set, above the colours. Returns the
 * number of points; 0: there is no stroke.
 */
FUNCTION u32 make_stroke(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, GLOBAL u8 *to,
    const struct stroke_cell *cell, LOCAL u32 *points, LOCAL u32 *word)
{
    struct stroke_place start;
    if (!find_stroke(record, from, to, cell, &start))
        return 0;
    u32 colour = reference_at(record, from, start);
    u32 made = trace_stroke(record, from, to, cell, start, colour, points);
    u32 luminance = (u32)reference_luminance(record, from, start.x, start.y) / 2 | STROKE_PAINTED;
    *word = luminance << 24 | (colour & 255) << 16 | (colour & 0xFF00) | colour >> 16;
    return made > 1 || record->value[STROKE_FIRST] ? made : 0;
}

FUNCTION struct stroke_cell cell_of(GLOBAL const struct filter_record *record, u32 index)
{
    u32 cells = (u32)record->value[STROKE_CELLS];
    struct stroke_cell cell;
    cell.left = (i32)(index % cells) * record->value[STROKE_RADIUS];
    cell.top = (i32)(index / cells) * record->value[STROKE_RADIUS];
    cell.right = (i32)smaller((u32)(cell.left + record->value[STROKE_RADIUS]), record->width);
    cell.bottom = (i32)smaller((u32)(cell.top + record->value[STROKE_RADIUS]), record->height);
    return cell;
}

/* Paint the disc of the brush at a point. 32 work-items share its pixels. */
FUNCTION void press_brush(GLOBAL const struct filter_record *record, i32 x, i32 y, u32 word, GLOBAL u32 *words)
{
    i32 radius = record->value[STROKE_RADIUS], side = 2 * radius + 1;
    for (i32 i = (i32)(local_index() % STROKE_LANES); i < side * side; i += STROKE_LANES) {
        i32 dx = i % side - radius, dy = i / side - radius;
        u32 column = (u32)(x + dx), row = (u32)(y + dy);
        if (dx * dx + dy * dy <= radius * radius && column < record->width && row < record->height)
            atomic_greatest(words + (u64)row * record->width + column, word);
    }
}

KERNEL(FILTER_GROUP_ITEMS)
filter_strokes(FILTER_ARGUMENTS)
{
    SHARED u32 points[FILTER_GROUP_ITEMS * STROKE_POINTS], colour[FILTER_GROUP_ITEMS], made[FILTER_GROUP_ITEMS];
    u32 group, self = local_index();
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct stroke_cell cell = cell_of(record, group * FILTER_GROUP_ITEMS + self);
    GLOBAL u32 *words = extra_words(record, extra);
    made[self] = cell.top < (i32)record->height
                     ? make_stroke(record, from, to, &cell, points + self * STROKE_POINTS, colour + self)
                     : 0;
    barrier_local();
    for (u32 k = self / STROKE_LANES; k < FILTER_GROUP_ITEMS; k += FILTER_GROUP_ITEMS / STROKE_LANES) {
        cell = cell_of(record, group * FILTER_GROUP_ITEMS + k);
        for (u32 i = 0; i < made[k]; i++) {
            u32 point = points[k * STROKE_POINTS + i];
            press_brush(record, cell.left + (i16)(point & 0xFFFF), cell.top + (i16)(point >> 16), colour[k], words);
        }
    }
}

/* Copy a painted layer to the canvas, and clear its words. Alpha is that of the picture. */
KERNEL(FILTER_GROUP_ITEMS)
filter_dry(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = own_column(&tile), colours = record->colours;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        GLOBAL u32 *place = extra_words(record, extra) + (u64)y * record->width + x;
        u32 word = *place;
        *place = 0;
        for (u32 c = 0; c < colours && word > 0; c++)
            target[c] = (u8)(word >> (16 - 8 * c));
        if (record->channels > colours)
            target[colours] = source_pixel(record, from, x, y)[colours];
    }
}
