/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what transforms of strips have in common, forward and inverse. A work-group has up to J2K_STRIP_WIDTH
 * columns of a level and goes down their rows; a work-item has four columns, and takes samples beside them from its
 * neighbours.
 */
#include "kernels/group.h"
#include "kernels/search.h"

#include "j2k/kernels/mirror.h"

enum {
    STRIP_COLUMNS = J2K_STRIP_WIDTH / J2K_STRIP_GROUP, /* columns of a work-item: 4 */
    STRIP_LINE = 2 * STRIP_COLUMNS                     /* samples of a work-item in two rows of a component */
};

/* Describes a work-group's strip, and which columns of it a work-item has. */
struct strip {
    i32 x0, y0, x1, y1; /* of the level, in the coordinates of its record */
    i32 x;              /* the work-item's first column, which is even */
    i32 left, right;    /* columns that the group completes */
    i32 y, end;         /* rows that it completes; y is even */
    u32 inside;         /* all the group's columns lie in the level, and pairs of coefficients at even places */
    /* As `inside`, but columns of whole work-items may lie behind the level, where they are of no use. */
    u32 paired;
    u32 place[STRIP_COLUMNS]; /* of each of the work-item's columns, or of its mirror image, in a row of its band */
    /*
     * This table has, by the bands' orientation, their pitches; then for each component the places in the buffer of
     * samples at which row 0 and column 0 of the level's coordinates would be; and then for each component the factors
     * of STRIP_INDICES.
     */
    LOCAL const u32x4 *table;
};

/* Declares the group's memory that strips of some components need, in a kernel's body. */
#define STRIP_MEMORY(components)                                                                                       \
    SHARED u32x4 table[1 + 2 * (components)];                                                                          \
    EXCHANGED(components)

/*
 * Describe the bands of components for the work-group. Where a level has only one column, or row, it is in one of two
 * bands, which then stands for the other too. The whole work-group calls it.
 */
FUNCTION void put_table(GLOBAL const struct j2k_work_level *level, u32 components, LOCAL u32x4 *table)
{
    LOCAL u32 *to = (LOCAL u32 *)table;
    u32 band = local_index() % 4, c = local_index() / 4;
    u32 right = level->x1 - level->x0 == 1 ? level->x0 : band % 2,
        lower = level->y1 - level->y0 == 1 ? level->y0 : band / 2;
    band = 2 * lower + right;
    if (c < components) {
        if (c == 0)
            to[local_index()] = level->pitch[band];
        to[4 + local_index()] =
            level[c].band[band] - (lower ? 0 : level->y0 * level->pitch[band]) - (right ? 0 : level->x0);
        to[4 + 4 * components + local_index()] = level[c].factor[band];
    }
    barrier_local();
}

/* Return whether in each row of each band of a table, the first coefficient is at an even place. */
FUNCTION u32 is_even(LOCAL const u32x4 *table, u32 components)
{
    u32 any = 0;
    UNROLL for (u32 i = 0; i <= components; i++) any |= table[i].x | table[i].y | table[i].z | table[i].w;
    return any % 2 == 0;
}

/* Return the strip of a group, of components whose bands have the same geometry. The whole work-group calls it. */
FUNCTION struct strip strip_of(GLOBAL const struct j2k_work_level *level, u32 components, u32 group, LOCAL u32x4 *table)
{
    struct strip s;
    u32 across = J2K_STRIPS(level->x0, level->x1), column = group % across;
    s.x0 = (i32)level->x0;
    s.y0 = (i32)level->y0;
    s.x1 = (i32)level->x1;
    s.y1 = (i32)level->y1;
    i32 first = (i32)(column * J2K_STRIP_STEP) - (s.x0 > 0 ? J2K_STRIP_MARGIN : 0), rows = (i32)level->rows;
    s.x = first + STRIP_COLUMNS * (i32)local_index();
    s.left = column > 0 ? first + J2K_STRIP_MARGIN : s.x0;
    s.right = column + 1 < across ? first + J2K_STRIP_WIDTH - J2K_STRIP_MARGIN : s.x1;
    s.y = (i32)(group / across) * rows;
    s.end = s.y + rows < s.y1 ? s.y + rows : s.y1;
    UNROLL for (i32 i = 0; i < STRIP_COLUMNS; i++) s.place[i] = (u32)mirror(s.x + i, s.x0, s.x1) / 2;
    s.table = table;
    put_table(level, components, table);
    u32 even = is_even(table, components);
    s.inside = first >= s.x0 && first + J2K_STRIP_WIDTH <= s.x1 && even;
    s.paired = s.inside || (first >= s.x0 && (s.x1 - first) % STRIP_COLUMNS == 0 && even);
    return s;
}

/* Return one of four words; `index` must be a constant. */
FUNCTION u32 pick_word(u32x4 words, u32 index)
{
    return index == 0 ? words.x : index == 1 ? words.y : index == 2 ? words.z : words.w;
}

FUNCTION u32 is_one_column(const struct strip *s)
{
    return s->x1 - s->x0 == 1;
}

FUNCTION u32 is_one_row(const struct strip *s)
{
    return s->y1 - s->y0 == 1;
}

FUNCTION u32 bits_of_i32(i32 x)
{
    return (u32)x;
}

FUNCTION i32 i32_of(u32 x)
{
    return (i32)x;
}

FUNCTION u32 bits_of_float(float x)
{
    return bits_of(x);
}

/*
 * Get for each row the sample that a neighbour has at `index`, `far` becoming an array of them. The outermost
 * work-items, and that with the last columns of a level that ends between two, have no neighbour on one side;
 * LIFT_EVEN_COLUMNS and LIFT_ODD_COLUMNS mirror there, which is right at the ends of a level, and otherwise does not
 * reach the columns that the group completes. The whole work-group calls it.
 */
#if HAS_WARPS
#define EXCHANGED(components)
#define EXCHANGE(type, rows, value, index, neighbour, far)                                                             \
    UNROLL for (u32 r = 0; r < (rows); r++)(far)[r] =                                                                  \
        type##_of(warp_shuffle(bits_of_##type((value)[r * STRIP_COLUMNS + (index)]), neighbour));
#else
#define EXCHANGED(components) SHARED u32 exchange[2 * (components)*J2K_STRIP_GROUP];
#define EXCHANGE(type, rows, value, index, neighbour, far)                                                             \
    barrier_local();                                                                                                   \
    UNROLL for (u32 r = 0; r < (rows); r++) exchange[r * J2K_STRIP_GROUP + local_index()] =                            \
        bits_of_##type((value)[r * STRIP_COLUMNS + (index)]);                                                          \
    barrier_local();                                                                                                   \
    UNROLL for (u32 r = 0; r < (rows); r++)(far)[r] = type##_of(exchange[r * J2K_STRIP_GROUP + (neighbour)]);
#endif

/* A lifting step along rows: even columns, or odd ones, become step(own, a neighbour, the other). */
#define LIFT_EVEN_COLUMNS(type, rows, value, step)                                                                     \
    EXCHANGE(type, rows, value, 3, before, far)                                                                        \
    UNROLL for (u32 r = 0; r < (rows); r++)                                                                            \
    {                                                                                                                  \
        type *v = (value) + r * STRIP_COLUMNS;                                                                         \
        v[0] = step(v[0], outermost & 1 ? v[1] : far[r], v[1]);                                                        \
        v[2] = step(v[2], v[1], v[3]);                                                                                 \
    }

#define LIFT_ODD_COLUMNS(type, rows, value, step)                                                                      \
    EXCHANGE(type, rows, value, 0, behind, far)                                                                        \
    UNROLL for (u32 r = 0; r < (rows); r++)                                                                            \
    {                                                                                                                  \
        type *v = (value) + r * STRIP_COLUMNS;                                                                         \
        v[1] = step(v[1], v[0], v[2]);                                                                                 \
        v[3] = step(v[3], v[2], outermost & 2 ? v[2] : far[r]);                                                        \
    }
