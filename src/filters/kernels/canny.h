/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds edges as filters/cpu/canny.c does. Pixels that are joined have to be found without waiting for the host,
 * however long a chain of them is. They are therefore sets, each of which is named by its least node: node 0 stands for
 * all edges, and node i + 1 for pixel i. Two sets are joined by letting the name of one refer to that of the other, by
 * an atomic minimum. A tile joins its own pixels in the work-group's memory; then the pixels at the sides of tiles are
 * joined; and in the end a weak pixel is an edge if its set is that of node 0. Which sets there are does not depend on
 * the order.
 */
#include "filters/kernels/gradient.h"

enum {
    WEAK = 1,
    EDGE = 255,
    AROUND = FILTER_TILE + 2, /* columns and rows of magnitudes */
    TILE_PIXELS = FILTER_TILE * FILTER_TILE
};
TABLE u32 NO_NODE = 0xFFFFFFFF;

/* Find the gradient of the colour that has the greatest magnitude, the first of equal ones. Returns the magnitude. */
FUNCTION u32 strongest_at(
    LOCAL const u8 *own, i32 colours, i32 down, i32 radius, i32 squared, struct filter_slope *strongest)
{
    u32 most = 0;
    strongest->x = strongest->y = 0;
    for (i32 c = 0; c < colours; c++) {
        struct filter_slope slope = slope_at(own + c, colours, down, radius);
        u32 magnitude =
            squared ? (u32)(slope.x * slope.x + slope.y * slope.y) : magnitude_of(slope.x) + magnitude_of(slope.y);
        if (magnitude > most || c == 0) {
            most = magnitude;
            *strongest = slope;
        }
    }
    return most;
}

/* Compute the magnitudes of a tile and of one pixel around it, and the gradients of its own pixels. */
FUNCTION void find_slopes(GLOBAL const struct filter_record *record, const struct filter_tile *tile,
    LOCAL const u8 *samples, LOCAL u32 *magnitudes, LOCAL u32 *slopes)
{
    u32 radius = (u32)record->value[0], colours = record->colours, side = FILTER_TILE + 2 + 2 * radius;
    for (u32 i = local_index(); i < AROUND * AROUND; i += FILTER_GROUP_ITEMS) {
        u32 column = i % AROUND, row = i / AROUND, x = tile->left + column - 1, y = tile->top + row - 1;
        struct filter_slope slope;
        LOCAL const u8 *own = samples + ((row + radius) * side + column + radius) * colours;
        u32 magnitude = strongest_at(own, (i32)colours, (i32)(side * colours), (i32)radius, record->value[1], &slope);
        magnitudes[i] = x < record->width && y < record->height ? magnitude : 0;
        if (column > 0 && column <= FILTER_TILE && row > 0 && row <= FILTER_TILE)
            slopes[(row - 1) * FILTER_TILE + column - 1] = ((u32)slope.x & 0xFFFF) | (u32)slope.y << 16;
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

/* Join the pixels of a tile that touch. */
FUNCTION void join_tile(LOCAL u32 *nodes)
{
    for (u32 i = local_index(); i < TILE_PIXELS; i += FILTER_GROUP_ITEMS) {
        u32 column = i % FILTER_TILE;
        if (current_local(nodes + i) == NO_NODE)
            continue;
        if (column > 0 && current_local(nodes + i - 1) != NO_NODE)
            join_nodes_local(nodes, i + 1, i);
        if (i < FILTER_TILE)
            continue;
        if (current_local(nodes + i - FILTER_TILE) != NO_NODE)
            join_nodes_local(nodes, i + 1, i - FILTER_TILE + 1);
        if (column > 0 && current_local(nodes + i - FILTER_TILE - 1) != NO_NODE)
            join_nodes_local(nodes, i + 1, i - FILTER_TILE);
        if (column + 1 < FILTER_TILE && current_local(nodes + i - FILTER_TILE + 1) != NO_NODE)
            join_nodes_local(nodes, i + 1, i - FILTER_TILE + 2);
    }
}

/* Write what the tile's pixels are so far, and to which nodes the weak ones refer. */
FUNCTION void store_marks(GLOBAL const struct filter_record *record, const struct filter_tile *tile, LOCAL u32 *nodes,
    GLOBAL u8 *to, GLOBAL u32 *names)
{
    u32 x = own_column(tile);
    for (u32 y = own_row(tile); x < tile->right && y < tile->bottom; y += FILTER_TILE_ROWS) {
        u32 i = (y - tile->top) * FILTER_TILE + x - tile->left, node = current_local(nodes + i);
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        if (node == NO_NODE) {
            *target = 0;
            continue;
        }
        node = find_local(nodes, i + 1);
        *target = node == 0 ? EDGE : WEAK;
        if (node != 0)
            names[(u64)y * record->width + x] =
                (tile->top + (node - 1) / FILTER_TILE) * record->width + tile->left + (node - 1) % FILTER_TILE + 1;
    }
}

/* value: the radius of Sobel's operator; whether magnitudes are squared; the thresholds. */
KERNEL(FILTER_GROUP_ITEMS)
filter_canny_mark(FILTER_ARGUMENTS)
{
    SHARED u8 samples[SIDE * SIDE * COLOURS];
    SHARED u32 magnitudes[AROUND * AROUND], slopes[TILE_PIXELS], nodes[TILE_PIXELS];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    load_bytes(record, from, &tile, (u32)record->value[0] + 1, samples);
    find_slopes(record, &tile, samples, magnitudes, slopes);
    barrier_local();
    for (u32 i = local_index(); i < TILE_PIXELS; i += FILTER_GROUP_ITEMS) {
        u32 column = i % FILTER_TILE, row = i / FILTER_TILE;
        LOCAL const u32 *magnitude = magnitudes + (row + 1) * AROUND + column + 1;
        u32 stays = *magnitude > (u32)record->value[2] && is_greatest(magnitude, slopes[i]);
        u32 node = *magnitude > (u32)record->value[3] ? 0 : i + 1;
        nodes[i] = stays && tile.left + column < tile.right && tile.top + row < tile.bottom ? node : NO_NODE;
    }
    barrier_local();
    join_tile(nodes);
    barrier_local();
    store_marks(record, &tile, nodes, to, extra_words(record, extra));
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

/* Join a pixel to one of another tile if that is marked. */
FUNCTION void join_beside(
    GLOBAL const struct filter_record *record, GLOBAL u8 *to, GLOBAL u32 *names, u32 node, u32 x, u32 y)
{
    if (x >= record->width || y >= record->height)
        return;
    u32 mark = *target_pixel(record, to, x, y);
    if (mark != 0)
        join_names(names, node, mark == EDGE ? 0 : y * record->width + x + 1);
}

/* Join the upper row and the left column of a tile to the pixels of other tiles beside them. */
KERNEL(FILTER_GROUP_ITEMS)
filter_canny_join(FILTER_ARGUMENTS)
{
    u32 group, self = local_index() % FILTER_TILE, part = local_index() / FILTER_TILE;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL u32 *names = extra_words(record, extra);
    u32 x = tile.left + (part == 0 ? self : 0), y = tile.top + (part == 0 ? 0 : self);
    (void)from;
    if (part > 1 || x >= tile.right || y >= tile.bottom || (part == 0 ? y : x) == 0)
        return;
    u32 mark = *target_pixel(record, to, x, y), node = mark == EDGE ? 0 : y * record->width + x + 1;
    if (mark == 0)
        return;
    /* Columns and rows before the first are above all others. */
    for (u32 i = 0; i < 3; i++)
        join_beside(record, to, names, node, part == 0 ? x + i - 1 : x - 1, part == 0 ? y - 1 : y + i - 1);
}

/* Let weak pixels become edges, or nothing. */
KERNEL(FILTER_GROUP_ITEMS)
filter_canny_end(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL u32 *names = extra_words(record, extra);
    u32 x = own_column(&tile);
    (void)from;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        u32 node = y * record->width + x + 1;
        if (*target == WEAK) {
            for (u32 next; node != 0 && (next = names[node - 1]) != node; node = next) {
            }
            *target = node == 0 ? EDGE : 0;
        }
    }
}
