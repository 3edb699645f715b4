/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps a plane through a scene as filters/cpu/sweep.c does. A work-group compares all views on a tile of the
 * reference and one plane: for each view in turn it loads the tile, with a border as wide as the windows' radius, as
 * the view shows it, and adds up windows horizontally and then vertically.
 */
#include "filters/kernels/points.h"

enum {
    SWEEP_SIDE = FILTER_TILE + 8,               /* with borders of 4 pixels, which is the greatest radius */
    SWEEP_SUMS = 3,                             /* sums of samples, squares and products; or one sum of differences */
    SWEEP_OWN = FILTER_TILE / FILTER_TILE_ROWS, /* pixels of a work-item */
    SWEEP_MOST = 255,
    SWEEP_BETWEEN = 16
};

/* Write the luminance of a view in 8 bits. */
KERNEL(FILTER_GROUP_ITEMS)
filter_sweep_light(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = own_column(&tile), greatest = record->greatest;
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        u32 own = smaller(luminance_of(record, source_pixel(record, from, x, y)), greatest);
        *target_at(to, place_of(record->to) + (u64)y * record->width + x) =
            (u8)((own * SWEEP_MOST + greatest / 2) / greatest);
    }
}

/* Holds a view's luminance. */
struct sweep_view {
    GLOBAL const u8 *light;
    i64 right, bottom; /* the last column and row, in 1/256 pixels */
    u32 width;
};

FUNCTION struct sweep_view sweep_view_of(
    GLOBAL const struct filter_record *record, GLOBAL const u32 *work, GLOBAL const u8 *from, u32 index)
{
    GLOBAL const u32 *place = work + record->value[FILTER_SWEEP_PLACES] + 4 * index;
    struct sweep_view view;
    view.light = source_at(from, place_of(record->from) + place_of(place));
    view.width = place[2];
    view.right = (i64)(place[2] - 1) * 256;
    view.bottom = (i64)(place[3] - 1) * 256;
    return view;
}

FUNCTION i64 map_at(GLOBAL const u32 *map, u32 index)
{
    return (i64)place_of(map + 2 * index);
}

/* Apply a row of a matrix to a pixel. */
FUNCTION i64 map_row(GLOBAL const u32 *map, u32 row, i64 x, i64 y)
{
    return map_at(map, 3 * row) * x + map_at(map, 3 * row + 1) * y + map_at(map, 3 * row + 2);
}

/*
 * Return the sample of a view at a pixel of the reference, or the nearest one, and in bit 8 whether the view sees the
 * pixel.
 */
FUNCTION u32 sweep_look(const struct sweep_view *view, GLOBAL const u32 *map, i64 x, i64 y)
{
    const i64 below = map_row(map, 2, x, y);
    if (below <= 0)
        return 0;
    i64 u = map_row(map, 0, x, y) * 256 + below / 2, v = map_row(map, 1, x, y) * 256 + below / 2;
    u32 seen = u >= 0 && v >= 0;
    u = u < 0 ? 0 : (i64)((u64)u / (u64)below);
    v = v < 0 ? 0 : (i64)((u64)v / (u64)below);
    seen = seen && u <= view->right && v <= view->bottom;
    u = u < view->right ? u : view->right;
    v = v < view->bottom ? v : view->bottom;
    GLOBAL const u8 *at = view->light + (u64)(v >> 8) * view->width + (u64)(u >> 8);
    const u32 next = u < view->right ? 1 : 0, down = v < view->bottom ? view->width : 0;
    const u32 across = (u32)u & 255, along = (u32)v & 255;
    u32 above = at[0] * (256 - across) + at[next] * across;
    u32 under = at[down] * (256 - across) + at[down + next] * across;
    return (above * (256 - along) + under * along + 32768) >> 16 | seen << 8;
}

/* Load the reference's tile with its border. */
FUNCTION void load_reference(GLOBAL const struct filter_record *record, const struct filter_tile *tile,
    const struct sweep_view *view, LOCAL u8 *light)
{
    const u32 radius = (u32)record->value[FILTER_SWEEP_REACH], side = FILTER_TILE + 2 * radius;
    for (u32 i = local_index(); i < side * side; i += FILTER_GROUP_ITEMS) {
        i32 x = held_in((i32)(tile->left + i % side) - (i32)radius, (i32)record->width);
        i32 y = held_in((i32)(tile->top + i / side) - (i32)radius, (i32)record->height);
        light[i / side * SWEEP_SIDE + i % side] = view->light[(u64)(u32)y * view->width + (u32)x];
    }
}

/* Load a view as the reference sees it on a plane, and whether the view sees each pixel of the tile. */
FUNCTION void load_view(GLOBAL const struct filter_record *record, const struct filter_tile *tile,
    const struct sweep_view *view, GLOBAL const u32 *map, LOCAL u8 *light, LOCAL u8 *seen)
{
    const u32 radius = (u32)record->value[FILTER_SWEEP_REACH], side = FILTER_TILE + 2 * radius;
    for (u32 i = local_index(); i < side * side; i += FILTER_GROUP_ITEMS) {
        u32 column = i % side, row = i / side;
        i32 x = held_in((i32)(tile->left + column) - (i32)radius, (i32)record->width);
        i32 y = held_in((i32)(tile->top + row) - (i32)radius, (i32)record->height);
        u32 looked = sweep_look(view, map, x, y);
        light[row * SWEEP_SIDE + column] = (u8)looked;
        seen[row * SWEEP_SIDE + column] = (u8)(looked >> 8);
    }
}

/* Add up rows of windows: of samples, squares and products, or of differences. */
FUNCTION void window_across(LOCAL const u8 *own, LOCAL const u8 *other, u32 radius, u32 difference, LOCAL u32 *sums)
{
    for (u32 i = local_index(); i < (FILTER_TILE + 2 * radius) * FILTER_TILE; i += FILTER_GROUP_ITEMS) {
        u32 at = i / FILTER_TILE * SWEEP_SIDE + i % FILTER_TILE, b = 0, bb = 0, ab = 0;
        for (u32 k = at; k <= at + 2 * radius; k++) {
            u32 first = own[k], second = other[k];
            if (difference) {
                b += first > second ? first - second : second - first;
            } else {
                b += second;
                bb += second * second;
                ab += first * second;
            }
        }
        sums[i] = b;
        sums[i + SWEEP_SIDE * FILTER_TILE] = bb;
        sums[i + 2 * SWEEP_SIDE * FILTER_TILE] = ab;
    }
}

FUNCTION u32 window_down(LOCAL const u32 *sums, u32 side)
{
    u32 sum = 0;
    for (u32 i = 0; i < side; i++)
        sum += sums[i * FILTER_TILE];
    return sum;
}

FUNCTION u32 sweep_correlation(u32 a, u32 aa, u32 b, u32 bb, u32 ab, u32 size)
{
    const i64 both = (i64)((u64)size * ab) - (i64)((u64)a * b);
    const u64 own = (u64)size * aa - (u64)a * a, other = (u64)size * bb - (u64)b * b;
    if (both <= 0)
        return 0;
    u64 square = (u64)both * (u64)both / (own * other / 256 + (u64)size * size);
    return square < SWEEP_MOST ? (u32)square : SWEEP_MOST;
}

/* Holds the sums for one of a work-item's pixels. */
struct sweep_pixel {
    u32 a, aa;                /* sums over the reference's window */
    u32 sum, views, agreeing; /* sums over the views so far */
};

/* Add the similarity of a view at those of the work-item's pixels that it sees. */
FUNCTION void add_similar(
    GLOBAL const struct filter_record *record, LOCAL const u32 *sums, LOCAL const u8 *seen, struct sweep_pixel *pixels)
{
    const u32 radius = (u32)record->value[FILTER_SWEEP_REACH], side = 2 * radius + 1,
              column = local_index() % FILTER_TILE;
    UNROLL
    for (u32 i = 0; i < SWEEP_OWN; i++) {
        u32 row = local_index() / FILTER_TILE + i * FILTER_TILE_ROWS, similar;
        LOCAL const u32 *own = sums + row * FILTER_TILE + column;
        if (!seen[(row + radius) * SWEEP_SIDE + column + radius])
            continue;
        if (record->value[FILTER_SWEEP_DIFFERENCE]) {
            u32 mean = 8 * window_down(own, side) / (side * side);
            similar = mean < SWEEP_MOST ? SWEEP_MOST - mean : 0;
        } else {
            similar = sweep_correlation(pixels[i].a, pixels[i].aa, window_down(own, side),
                window_down(own + SWEEP_SIDE * FILTER_TILE, side),
                window_down(own + 2 * SWEEP_SIDE * FILTER_TILE, side), side * side);
        }
        pixels[i].sum += similar;
        pixels[i].views++;
        pixels[i].agreeing += similar >= (u32)record->value[FILTER_SWEEP_SIMILAR];
    }
}

/* Begin the work-item's pixels with the sums over the reference's windows. */
FUNCTION void begin_pixels(LOCAL const u32 *sums, u32 radius, struct sweep_pixel *pixels)
{
    UNROLL
    for (u32 i = 0; i < SWEEP_OWN; i++) {
        LOCAL const u32 *own =
            sums + (local_index() / FILTER_TILE + i * FILTER_TILE_ROWS) * FILTER_TILE + local_index() % FILTER_TILE;
        pixels[i].a = window_down(own, 2 * radius + 1);
        pixels[i].aa = window_down(own + SWEEP_SIDE * FILTER_TILE, 2 * radius + 1);
        pixels[i].sum = pixels[i].views = pixels[i].agreeing = 0;
    }
}

/* Write the mean similarity, in 1/256, where enough views agree; otherwise 0. */
FUNCTION void store_scores(GLOBAL const struct filter_record *record, const struct filter_tile *tile, u32 plane,
    GLOBAL u8 *to, const struct sweep_pixel *pixels)
{
    u32 x = own_column(tile);
    UNROLL
    for (u32 i = 0; i < SWEEP_OWN; i++) {
        u32 y = own_row(tile) + i * FILTER_TILE_ROWS;
        u64 at = ((u64)plane * record->height + y) * record->width + x;
        u32 enough = pixels[i].agreeing >= (u32)record->value[FILTER_SWEEP_AGREEING];
        if (x < tile->right && y < tile->bottom)
            *(GLOBAL u16 *)(GLOBAL void *)target_at(to, place_of(record->to) + 2 * at) =
                (u16)(enough ? pixels[i].sum * 256 / pixels[i].views : 0);
    }
}

/* Compare all views on a plane. The work-groups of a plane follow those of the plane before. */
KERNEL(FILTER_GROUP_ITEMS)
filter_sweep_score(FILTER_ARGUMENTS)
{
    SHARED u8 own[SWEEP_SIDE * SWEEP_SIDE], other[SWEEP_SIDE * SWEEP_SIDE], seen[SWEEP_SIDE * SWEEP_SIDE];
    SHARED u32 sums[SWEEP_SUMS * SWEEP_SIDE * FILTER_TILE];
    struct sweep_pixel pixels[SWEEP_OWN];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    const u32 tiles = record->groups_of_row * ((record->height + FILTER_TILE - 1) / FILTER_TILE);
    const u32 plane = group / tiles, planes = (u32)record->value[FILTER_SWEEP_OF_PLANES];
    const u32 radius = (u32)record->value[FILTER_SWEEP_REACH], difference = (u32)record->value[FILTER_SWEEP_DIFFERENCE];
    struct filter_tile tile = tile_of(record, group % tiles);
    struct sweep_view view = sweep_view_of(record, work, from, 0);
    (void)extra;
    load_reference(record, &tile, &view, own);
    barrier_local();
    window_across(own, own, radius, 0, sums);
    barrier_local();
    begin_pixels(sums, radius, pixels);
    for (u32 i = 0; i < (u32)record->value[FILTER_SWEEP_OTHERS]; i++) {
        GLOBAL const u32 *map = work + record->value[FILTER_SWEEP_MAPS] + 2 * 9 * ((u64)i * planes + plane);
        view = sweep_view_of(record, work, from, i + 1);
        load_view(record, &tile, &view, map, other, seen);
        barrier_local();
        window_across(own, other, radius, difference, sums);
        barrier_local();
        add_similar(record, sums, seen, pixels);
        barrier_local();
    }
    store_scores(record, &tile, plane, to, pixels);
}

/* Return the offset of the highest point of the parabola through three scores; see the CPU's between(). */
FUNCTION i32 sweep_between(i32 before, i32 own, i32 after)
{
    i32 curve = 2 * own - before - after, lean = after - before;
    curve = curve > 0 ? curve : 1;
    return (lean * SWEEP_BETWEEN + curve + 2 * SWEEP_BETWEEN * curve) / (2 * curve) - SWEEP_BETWEEN;
}

/* Choose the plane with the greatest score, the nearest one if several are equal. */
KERNEL(FILTER_GROUP_ITEMS)
filter_sweep_choose(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u16 *scores = (GLOBAL const u16 *)(GLOBAL const void *)source_at(from, place_of(record->from));
    const u32 planes = (u32)record->value[FILTER_SWEEP_OF_PLANES];
    const u64 step = (u64)record->width * record->height;
    u32 x = own_column(&tile);
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL const u16 *score = scores + (u64)y * record->width + x;
        u32 best = 0, greatest = score[0];
        for (u32 i = 1; i < planes; i++) {
            u32 own = score[i * step];
            best = own > greatest ? i : best;
            greatest = own > greatest ? own : greatest;
        }
        u32 place = best * SWEEP_BETWEEN;
        if (best > 0 && best + 1 < planes && score[(best - 1) * step] > 0 && score[(best + 1) * step] > 0)
            place += (u32)sweep_between(score[(best - 1) * step], (i32)greatest, score[(best + 1) * step]);
        u32 depth = greatest > 0 ? work[(u32)record->value[FILTER_SWEEP_DEPTHS] + place] : 0;
        store_sample(target_pixel(record, to, x, y), 0, record->to_bytes,
            record->value[FILTER_SWEEP_SURE] ? greatest >> 8 : depth);
    }
}
