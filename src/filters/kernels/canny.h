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
    NARROW_SIDE = FILTER_TILE + 4,         /* of a tile and the pixels around it, with a radius of 1 */
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
 * Return twice the distance, among magnitudes, from a pixel to its neighbour behind it across the edge; see the CPU's
 * thin(). 1 is added if the pixel may equal that neighbour.
 */
FUNCTION i32 across_of(struct filter_slope slope)
{
    u32 x = magnitude_of(slope.x), y = magnitude_of(slope.y) << 15, flat = x * 13573, steep = flat + (x << 16);
    i32 slanted = (slope.x ^ slope.y) < 0 ? 2 * (AROUND - 1) : 2 * (AROUND + 1);
    return y < flat ? 2 + 1 : y > steep ? 2 * AROUND + 1 : slanted;
}

/* Compute the magnitudes of a strip, whose first pixel is `own`, and which neighbours they are compared with. */
FUNCTION void find_strip(const struct canny_kind *kind, LOCAL const u32 *own, u32 magnitude[STRIP], i32 across[STRIP])
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
        across[k] = across_of(slope);
    }
}

/*
 * Return whether a pixel's magnitude is above that of its neighbours across the edge. Work-items with edges of
 * different directions do the same.
 */
FUNCTION u32 is_greatest(LOCAL const u32 *magnitude, i32 across)
{
    u32 m = magnitude[0], straight = (u32)across & 1;
    i32 step = across >> 1;
    return (m > magnitude[-step]) & (m + straight > magnitude[step]);
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
    LOCAL const u32 *own, const i32 *across, u32 low, u32 high, LOCAL u32 *scratch, LOCAL u32 *rows)
{
    u32 self = local_index(), column = self % FILTER_TILE, first = self / FILTER_TILE * STRIP, bits = 0;
    UNROLL for (u32 k = 0; k < STRIP; k++)
    {
        u32 m = own[k * AROUND], stays = (m > low) & is_greatest(own + k * AROUND, across[k]),
            strong = stays & (m > high);
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

/*
 * Mark the pixels of a tile. `words` has room for the tile and the pixels around it, and is used for nodes afterwards.
 * The radius of Sobel's operator is a constant in the kernels for the usual one, so that places are, too. With `grey`
 * the luminance is what is marked.
 */
FUNCTION void mark_tile(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, GLOBAL u8 *to,
    GLOBAL u8 *extra, u32 group, i32 radius, const u32 grey, LOCAL u32 *words, LOCAL u32 *magnitudes, LOCAL u32 *rows)
{
    u32 column = local_index() % FILTER_TILE, first = local_index() / FILTER_TILE * STRIP;
    u32 magnitude[STRIP];
    i32 across[STRIP];
    struct filter_tile tile = tile_of(record, group);
    struct canny_kind kind;
    kind.radius = radius;
    kind.squared = record->value[1];
    kind.side = FILTER_TILE + 2 + 2 * radius;
    kind.colours = grey ? 1 : record->colours;
    u32 low = (u32)record->value[2], high = (u32)record->value[3];
    load_tile(record, from, &tile, (u32)radius + 1, grey, words);
    find_ring(record, &tile, &kind, words, magnitudes);
    find_strip(&kind, words + ((i32)first + radius + 1) * kind.side + (i32)column + radius + 1, magnitude, across);
    LOCAL u32 *own = magnitudes + (first + 1) * AROUND + column + 1;
    UNROLL for (u32 k = 0; k < STRIP; k++)
    {
        own[k * AROUND] = tile.left + column < tile.right && tile.top + first + k < tile.bottom ? magnitude[k] : 0;
    }
    barrier_local();
    collect_rows(own, across, low, high, words, rows);
    barrier_local();
    if (lane_ballot(magnitudes, rows[column] > 0) > 0) /* uniform across the work-group */
        name_runs(words, rows);
    store_marks(record, &tile, words, rows, to, extra_words(record, extra));
}

/* value: the radius of Sobel's operator, which is 1; whether magnitudes are squared; the thresholds. */
DENSE_KERNEL(FILTER_GROUP_ITEMS, 8)
filter_canny_mark(FILTER_ARGUMENTS)
{
    SHARED u32 words[NARROW_SIDE * NARROW_SIDE], magnitudes[AROUND * AROUND], rows[2 * FILTER_TILE];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    mark_tile(record, from, to, extra, group, 1, 0, words, magnitudes, rows);
}

/* Mark the pixels of grey, or of the luminance of colours. value: as for filter_canny_mark; see tile_pixel(). */
DENSE_KERNEL(FILTER_GROUP_ITEMS, 8)
filter_canny_grey(FILTER_ARGUMENTS)
{
    SHARED u32 words[NARROW_SIDE * NARROW_SIDE], magnitudes[AROUND * AROUND], rows[2 * FILTER_TILE];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    mark_tile(record, from, to, extra, group, 1, 1, words, magnitudes, rows);
}

/* value: as for filter_canny_mark, with a radius of 2 or 3. */
KERNEL(FILTER_GROUP_ITEMS)
filter_canny_wide(FILTER_ARGUMENTS)
{
    SHARED u32 words[SIDE * SIDE], magnitudes[AROUND * AROUND], rows[2 * FILTER_TILE];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    mark_tile(record, from, to, extra, group, record->value[0], 0, words, magnitudes, rows);
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

/* Return the mark of a pixel; 0 outside the image. */
FUNCTION u32 mark_at(GLOBAL const struct filter_record *record, GLOBAL u8 *to, u32 x, u32 y)
{
    return x < record->width && y < record->height ? *target_pixel(record, to, x, y) : 0;
}

/*
 * Join the upper row and the left column of each of some tiles to the pixels of other tiles beside them. A work-item
 * loads all marks that it needs before it examines the first one. If the middle one of three neighbours is marked, it
 * is joined to the other two, by its own tile or at that tile's side, and stands for them.
 */
KERNEL(FILTER_GROUP_ITEMS)
filter_canny_join(FILTER_ARGUMENTS)
{
    u32 group, self = local_index() % FILTER_TILE, part = local_index() / FILTER_TILE % 2, beside[3];
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group * FILTER_CANNY_TILES + local_index() / (2 * FILTER_TILE));
    GLOBAL u32 *names = extra_words(record, extra);
    u32 x = tile.left + (part == 0 ? self : 0), y = tile.top + (part == 0 ? 0 : self);
    (void)from;
    if (x >= tile.right || y >= tile.bottom || (part == 0 ? y : x) == 0)
        return;
    /* Columns and rows before the first one wrap around to numbers above all others. */
    u32 left = x - 1, top = y - 1, right_step = part == 0 ? 1 : 0, down_step = 1 - right_step;
    u32 mark = mark_at(record, to, x, y), node = mark == EDGE ? 0 : y * record->width + x + 1;
    UNROLL for (u32 i = 0; i < 3; i++)
    {
        beside[i] = mark_at(record, to, left + i * right_step, top + i * down_step);
    }
    if (mark == 0)
        return;
    if (beside[1] != 0)
        beside[0] = beside[2] = 0;
    UNROLL for (u32 i = 0; i < 3; i++)
    {
        u32 other = (top + i * down_step) * record->width + left + i * right_step + 1;
        if (beside[i] != 0)
            join_names(names, node, beside[i] == EDGE ? 0 : other);
    }
}

/* Return the marks of `count` pixels, up to 4, in the bytes of a word; `whole`: they are an aligned word. */
FUNCTION u32 load_marks(GLOBAL const u8 *target, u32 count, u32 whole)
{
    u32 marks = 0;
    if (whole)
        return *(GLOBAL const u32 *)(GLOBAL const void *)target;
    for (u32 k = 0; k < count; k++)
        marks |= (u32)target[k] << 8 * k;
    return marks;
}

FUNCTION void store_word_of_marks(GLOBAL u8 *target, u32 count, u32 whole, u32 marks)
{
    if (whole)
        *(GLOBAL u32 *)(GLOBAL void *)target = marks;
    else
        for (u32 k = 0; k < count; k++)
            target[k] = (u8)(marks >> 8 * k);
}

/* Turn weak pixels into edges or 0, four pixels of a row in each work-item. */
KERNEL(FILTER_GROUP_ITEMS)
filter_canny_end(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *names = extra_words(record, extra);
    u32 x = tile.left + local_index() % (FILTER_TILE / 4) * 4, y = tile.top + local_index() / (FILTER_TILE / 4);
    (void)from;
    if (x >= tile.right || y >= tile.bottom)
        return;
    GLOBAL u8 *target = target_pixel(record, to, x, y);
    u32 pixels = smaller(tile.right - x, 4), whole = pixels == 4 && ((u64)target & 3) == 0;
    u32 marks = load_marks(target, pixels, whole), weak = marks & ~(marks >> 1) & 0x01010101; /* neither 0 nor 255 */
    if (weak == 0)
        return;
    UNROLL for (u32 k = 0; k < 4; k++)
    {
        u32 node = y * record->width + x + k + 1;
        if (!(weak >> 8 * k & 1))
            continue;
        for (u32 next; node != 0 && (next = names[node - 1]) != node; node = next) {
        }
        marks = (marks & ~(255u << 8 * k)) | (node == 0 ? (u32)EDGE << 8 * k : 0);
    }
    store_word_of_marks(target, pixels, whole, marks);
}
