/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds edges as filters/cpu/canny.c does. Joined pixels have to be found without waiting for the host, however long a
 * chain of them is. They therefore form sets, each of which is named by its least node: node 0 stands for all edges,
 * and node i + 1 for pixel i. Two sets are joined by making the name of one refer to that of the other, by an atomic
 * minimum. A work-group joins the pixels of its tile in local memory, where a run of pixels in a row is one node; then
 * the pixels at the sides of tiles are joined; finally a weak pixel becomes an edge if its set is that of node 0. The
 * sets do not depend on the order.
 */
#include "kernels/group.h"

#include "filters/kernels/gradient.h"

enum {
    WEAK = 1,
    EDGE = 255,
    AROUND = FILTER_TILE + 2, /* columns and rows of magnitudes */
    RING = 4 * (FILTER_TILE + 1),
    STRIP = FILTER_TILE / FILTER_TILE_ROWS /* rows of a column that a work-item processes */
};

/* Says how gradients and their magnitudes are computed. */
struct canny_kind {
    i32 radius, squared, side;
    u32 colours;
};

/* Choose the gradient that has the greatest magnitude, the first of equal ones. Returns the magnitude. */
FUNCTION u32 strongest_of(const struct sobel_slopes *slopes, const struct canny_kind *kind, struct filter_slope *chosen)
{
    u32 most = 0;
    chosen->x = chosen->y = 0;
    UNROLL for (u32 c = 0; c < 3; c++)
    {
        struct filter_slope slope = slopes->colour[c];
        u32 magnitude = kind->squared ? (u32)(slope.x * slope.x + slope.y * slope.y)
                                      : magnitude_of(slope.x) + magnitude_of(slope.y);
        if (magnitude > most) {
            most = magnitude;
            *chosen = slope;
        }
        if (kind->colours == 1)
            break;
    }
    return most;
}

/* Compute the magnitudes of the pixels around a tile. Outside the image they are 0. */
FUNCTION void find_ring(GLOBAL const struct filter_record *record, const struct filter_tile *tile,
    const struct canny_kind *kind, LOCAL const u32 *pixels, LOCAL u32 *magnitudes)
{
    u32 self = local_index(), side = self % (2 * AROUND) / AROUND, along = self % AROUND;
    u32 column = self < 2 * AROUND ? along : (self & 1) * (AROUND - 1);
    u32 row = self < 2 * AROUND ? side * (AROUND - 1) : (self - 2 * AROUND) / 2 + 1;
    u32 x = tile->left + column - 1, y = tile->top + row - 1;
    struct filter_slope slope;
    if (self >= RING)
        return;
    struct sobel_slopes slopes = slopes_at(pixels + ((i32)row + kind->radius) * kind->side + (i32)column + kind->radius,
        kind->side, kind->radius, kind->colours);
    u32 magnitude = strongest_of(&slopes, kind, &slope);
    magnitudes[row * AROUND + column] = x < record->width && y < record->height ? magnitude : 0;
}

/*
 * Compute the gradients of a strip, whose first pixel is `own`. slopes[k] holds both parts of a gradient in its halves.
 */
FUNCTION void find_strip(const struct canny_kind *kind, LOCAL const u32 *own, u32 magnitude[STRIP], u32 slopes[STRIP])
{
    struct sobel_row above, row, below;
    above = sobel_row_at(own - kind->side);
    row = sobel_row_at(own);
    UNROLL for (i32 k = 0; k < STRIP; k++)
    {
        struct sobel_slopes made;
        struct filter_slope slope;
        if (kind->radius == 1) {
            below = sobel_row_at(own + (k + 1) * kind->side);
            made = slopes_by_three(&above, &row, &below);
            above = row;
            row = below;
        } else {
            made = slopes_at(own + k * kind->side, kind->side, kind->radius, kind->colours);
        }
        magnitude[k] = strongest_of(&made, kind, &slope);
        slopes[k] = ((u32)slope.x & 0xFFFF) | (u32)slope.y << 16;
    }
}

/* Return whether a pixel's magnitude is greatest across the edge; see the CPU's thin(). */
FUNCTION u32 is_greatest(LOCAL const u32 *magnitude, u32 slope)
{
    i32 dx = (i16)(slope & 0xFFFF), dy = (i16)(slope >> 16);
    u32 m = magnitude[0], x = magnitude_of(dx), y = magnitude_of(dy) << 15, flat = x * 13573, steep = flat + (x << 16);
    if (y < flat)
        return m > magnitude[-1] && m >= magnitude[1];
    if (y > steep)
        return m > magnitude[-AROUND] && m >= magnitude[AROUND];
    i32 aside = (dx ^ dy) < 0 ? 1 : -1;
    return m > magnitude[-AROUND + aside] && m > magnitude[AROUND - aside];
}

FUNCTION u32 find_local(LOCAL u32 *nodes, u32 node)
{
    for (u32 next; node != 0 && (next = current_local(nodes + node - 1)) != node; node = next) {
    }
    return node;
}

FUNCTION void join_nodes_local(LOCAL u32 *nodes, u32 a, u32 b)
{
    for (;;) {
        a = find_local(nodes, a);
        b = find_local(nodes, b);
        if (a == b)
            return;
        u32 greater = a > b ? a : b, less = a > b ? b : a, before = atomic_least_local(nodes + greater - 1, less);
        if (before == greater)
            return;
        a = before;
        b = less;
    }
}

/* Return the pixels of the run that begins at a bit of a row. */
FUNCTION u32 run_from(u32 row, u32 column)
{
    return row & ~(row + (1u << column));
}

/* Return the column in which the run of a pixel begins. */
FUNCTION u32 start_of(u32 row, u32 column)
{
    u32 gaps = ~row & ((1u << column) - 1);
    return 32 - leading_zeros(gaps);
}

FUNCTION u32 is_start(u32 row, u32 column)
{
    return (row >> column & 1) && start_of(row, column) == column;
}

/* Join a run to the runs of the row above that it touches; `first` is the node of the first pixel of that row. */
FUNCTION void join_run(LOCAL u32 *nodes, u32 node, u32 run, u32 above, u32 first)
{
    u32 touched = (run | run << 1 | run >> 1) & above;
    while (touched > 0) {
        u32 start = start_of(above, 31 - leading_zeros(touched));
        join_nodes_local(nodes, node, first + start);
        touched &= (1u << start) - 1;
    }
}

/*
 * Name the sets of a tile's pixels: the node at the first pixel of each run receives the name. `rows` has a word for
 * each row, with a bit for each pixel that stays; behind these lie the same for strong pixels. Whole work-group.
 */
FUNCTION void name_runs(LOCAL u32 *nodes, LOCAL const u32 *rows)
{
    u32 column = local_index() % FILTER_TILE, first = local_index() / FILTER_TILE * STRIP;
    for (u32 y = first; y < first + STRIP; y++)
        if (is_start(rows[y], column))
            nodes[y * FILTER_TILE + column] =
                run_from(rows[y], column) & rows[FILTER_TILE + y] ? 0 : y * FILTER_TILE + column + 1;
    barrier_local();
    for (u32 y = first; y < first + STRIP; y++)
        if (y > 0 && is_start(rows[y], column))
            join_run(
                nodes, y * FILTER_TILE + column + 1, run_from(rows[y], column), rows[y - 1], (y - 1) * FILTER_TILE + 1);
    barrier_local();
    /* All runs follow their nodes to their names at once, and thereby shorten each other's paths. */
    for (u32 y = first; y < first + STRIP; y++) {
        u32 self = y * FILTER_TILE + column, node = self + 1;
        if (is_start(rows[y], column))
            for (u32 next; node != 0 && (next = current_local(nodes + node - 1)) != node; node = next)
                atomic_least_local(nodes + self, next);
    }
    barrier_local();
}

/* Write the tile's marks so far, and the nodes to which the weak pixels refer. */
FUNCTION void store_marks(GLOBAL const struct filter_record *record, const struct filter_tile *tile,
    LOCAL const u32 *nodes, LOCAL const u32 *rows, GLOBAL u8 *to, GLOBAL u32 *names)
{
    u32 column = local_index() % FILTER_TILE, first = local_index() / FILTER_TILE * STRIP, x = tile->left + column;
    u32 width = record->width, pitch = record->to_pitch;
    GLOBAL u8 *target = target_pixel(record, to, x, tile->top + first);
    for (u32 row = first; x < tile->right && row < first + STRIP && tile->top + row < tile->bottom; row++) {
        u32 mark = 0;
        if (rows[row] >> column & 1) {
            u32 node = nodes[row * FILTER_TILE + start_of(rows[row], column)], at = node - 1;
            mark = node == 0 ? EDGE : WEAK;
            if (node != 0)
                names[(u64)(tile->top + row) * width + x] =
                    (tile->top + at / FILTER_TILE) * width + tile->left + at % FILTER_TILE + 1;
        }
        *target = (u8)mark;
        target += pitch;
    }
}

/*
 * Write the rows of a tile's bits, as name_runs() takes them. `own` points to the magnitudes of a work-item's strip,
 * among those of the tile and its surroundings. The whole work-group calls this; `scratch` has a word for each
 * work-item.
 */
FUNCTION void collect_rows(
    LOCAL const u32 *own, const u32 *slope, u32 low, u32 high, LOCAL u32 *scratch, LOCAL u32 *rows)
{
    u32 self = local_index(), column = self % FILTER_TILE, first = self / FILTER_TILE * STRIP, bits = 0;
    UNROLL for (u32 k = 0; k < STRIP; k++)
    {
        u32 m = own[k * AROUND], stays = m > low && is_greatest(own + k * AROUND, slope[k]), strong = stays && m > high;
#if HAS_WARPS
        u32 row = warp_ballot(stays), strong_row = warp_ballot(strong);
        if (column == 0) {
            rows[first + k] = row;
            rows[FILTER_TILE + first + k] = strong_row;
        }
#else
        bits |= stays << k | strong << (STRIP + k);
#endif
    }
#if HAS_WARPS
    (void)bits, (void)scratch;
#else
    /* PoCL 5.0 aborts when it compiles the loop above with barriers in it. */
    scratch[self] = bits;
    barrier_local();
    if (column < 2 * STRIP) {
        u32 row = 0;
        for (u32 i = 0; i < FILTER_TILE; i++)
            row |= (scratch[self - column + i] >> column & 1) << i;
        rows[column / STRIP * FILTER_TILE + first + column % STRIP] = row;
    }
#endif
}

/* value: the radius of Sobel's operator; whether magnitudes are squared; the thresholds. */
DENSE_KERNEL(FILTER_GROUP_ITEMS, 8)
filter_canny_mark(FILTER_ARGUMENTS)
{
    SHARED u32 words[SIDE * SIDE] /* pixels, and nodes afterwards */, magnitudes[AROUND * AROUND],
        rows[2 * FILTER_TILE];
    u32 group, column = local_index() % FILTER_TILE, first = local_index() / FILTER_TILE * STRIP;
    u32 magnitude[STRIP], slope[STRIP];
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    struct canny_kind kind;
    kind.radius = record->value[0];
    kind.squared = record->value[1];
    kind.side = FILTER_TILE + 2 + 2 * kind.radius;
    kind.colours = record->colours;
    u32 low = (u32)record->value[2], high = (u32)record->value[3];
    load_tile(record, from, &tile, (u32)kind.radius + 1, words);
    find_ring(record, &tile, &kind, words, magnitudes);
    find_strip(
        &kind, words + ((i32)first + kind.radius + 1) * kind.side + (i32)column + kind.radius + 1, magnitude, slope);
    LOCAL u32 *own = magnitudes + (first + 1) * AROUND + column + 1;
    UNROLL for (u32 k = 0; k < STRIP; k++)
    {
        own[k * AROUND] = tile.left + column < tile.right && tile.top + first + k < tile.bottom ? magnitude[k] : 0;
    }
    barrier_local();
    collect_rows(own, slope, low, high, words, rows);
    barrier_local();
    if (lane_ballot(magnitudes, rows[column] > 0) > 0) /* uniform across the work-group */
        name_runs(words, rows);
    store_marks(record, &tile, words, rows, to, extra_words(record, extra));
}

FUNCTION u32 find_name(GLOBAL u32 *names, u32 node)
{
    for (u32 next; node != 0 && (next = current(names + node - 1)) != node; node = next) {
    }
    return node;
}

FUNCTION void join_names(GLOBAL u32 *names, u32 a, u32 b)
{
    for (;;) {
        a = find_name(names, a);
        b = find_name(names, b);
        if (a == b)
            return;
        u32 greater = a > b ? a : b, less = a > b ? b : a, before = atomic_least(names + greater - 1, less);
        if (before == greater)
            return;
        a = before;
        b = less;
    }
}

/* Join a pixel to a pixel of another tile if that one is marked. */
FUNCTION void join_beside(
    GLOBAL const struct filter_record *record, GLOBAL u8 *to, GLOBAL u32 *names, u32 node, u32 x, u32 y)
{
    if (x >= record->width || y >= record->height)
        return;
    u32 mark = *target_pixel(record, to, x, y);
    if (mark != 0)
        join_names(names, node, mark == EDGE ? 0 : y * record->width + x + 1);
}

/* Join the upper row and the left column of each of some tiles to the pixels of other tiles beside them. */
KERNEL(FILTER_GROUP_ITEMS)
filter_canny_join(FILTER_ARGUMENTS)
{
    u32 group, self = local_index() % FILTER_TILE, part = local_index() / FILTER_TILE % 2;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group * FILTER_CANNY_TILES + local_index() / (2 * FILTER_TILE));
    GLOBAL u32 *names = extra_words(record, extra);
    u32 x = tile.left + (part == 0 ? self : 0), y = tile.top + (part == 0 ? 0 : self);
    (void)from;
    if (x >= tile.right || y >= tile.bottom || (part == 0 ? y : x) == 0)
        return;
    u32 mark = *target_pixel(record, to, x, y), node = mark == EDGE ? 0 : y * record->width + x + 1;
    if (mark == 0)
        return;
    /* Columns and rows before the first one wrap around to numbers above all others. */
    for (u32 i = 0; i < 3; i++)
        join_beside(record, to, names, node, part == 0 ? x + i - 1 : x - 1, part == 0 ? y - 1 : y + i - 1);
}

/* Turn weak pixels into edges or 0. All marks of a work-item are loaded before the first one is examined. */
KERNEL(FILTER_GROUP_ITEMS)
filter_canny_end(FILTER_ARGUMENTS)
{
    u32 group, mark[STRIP];
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL u32 *names = extra_words(record, extra);
    u32 x = own_column(&tile), first = own_row(&tile), pitch = record->to_pitch, width = record->width;
    GLOBAL u8 *target = target_pixel(record, to, x, first);
    (void)from;
    UNROLL for (u32 k = 0; k < STRIP; k++)
    {
        u32 inside = x < tile.right && first + k * FILTER_TILE_ROWS < tile.bottom;
        mark[k] = inside ? target[(u64)(k * FILTER_TILE_ROWS) * pitch] : 0;
    }
    UNROLL for (u32 k = 0; k < STRIP; k++)
    {
        if (mark[k] == WEAK) {
            u32 node = (first + k * FILTER_TILE_ROWS) * width + x + 1;
            for (u32 next; node != 0 && (next = names[node - 1]) != node; node = next) {
            }
            target[(u64)(k * FILTER_TILE_ROWS) * pitch] = node == 0 ? EDGE : 0;
        }
    }
}
