/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the forward and the inverse wavelet transform of a strip of a level share (T.800 Annex F). A work-group
 * computes up to J2K_STRIP_WIDTH columns and goes down their rows, two at a time. A work-item has four columns,
 * exchanges the samples beside them with its neighbours, and keeps in registers what the next rows need, so that no
 * intermediate sample is ever in memory. Samples beside and above the strip on which it depends are transformed, too;
 * positions outside of the level are mirrored. All operations are those of the CPU's code.
 */
#include "kernels/group.h"
#include "kernels/search.h"

#include "j2k/kernels/mirror.h"
#include "j2k/kernels/work.h"
#include "j2k/tables/transforms.h"

enum {
    STRIP_COLUMNS = J2K_STRIP_WIDTH / J2K_STRIP_GROUP, /* columns of a work-item: 4 */
    STRIP_LINE = 2 * STRIP_COLUMNS                     /* samples of a work-item in two rows of a component */
};

/* Describes a work-group's strip, and which columns of it a work-item has. */
struct strip {
    i32 x0, y0, x1, y1; /* the level, in the coordinates of its record */
    i32 x;              /* the work-item's first column, which is even */
    i32 left, right;    /* columns that the group completes */
    i32 y, end;         /* rows that it completes; y is even */
    u32 above;          /* half of the even position of the level's first row of low coefficients */
    /* How a work-item finds its columns in memory: see strip_of_bands() and strip_of_rows(). */
    u32 inside;
    u32 place[STRIP_COLUMNS];
    /*
     * This table has a vector of the pitches of the four bands, by orientation; then, for each component, one of the
     * places in the buffer of samples at which the first row and column 0 of the level's coordinates would be; and
     * then, for each component, one of the factors of STRIP_INDICES.
     */
    LOCAL const u32x4 *table;
};

/* Declares, in a kernel's body, the group's memory that strips of some components need. */
#define STRIP_MEMORY(components)                                                                                       \
    SHARED u32x4 table[1 + 2 * (components)];                                                                          \
    EXCHANGED(components)

/*
 * Fill the table of the bands of components. If a level has only one column, or row, it lies in one of two bands, which
 * then takes the place of the other one, too. The whole work-group calls this.
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
        to[4 + local_index()] = level[c].band[band] - (right ? 0 : level->x0);
        to[4 + 4 * components + local_index()] = level[c].factor[band];
    }
    barrier_local();
}

/* Return whether the first coefficient of each row of each band in a table is at an even place. */
FUNCTION u32 is_even(LOCAL const u32x4 *table, u32 components)
{
    u32 any = 0;
    UNROLL for (u32 i = 0; i <= components; i++) any |= table[i].x | table[i].y | table[i].z | table[i].w;
    return any % 2 == 0;
}

/* Return the strip of a group, for components whose bands have the same geometry. The whole work-group calls this. */
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
    s.above = s.y1 - s.y0 == 1 ? 0 : level->y0;
    s.table = table;
    put_table(level, components, table);
    return s;
}

/*
 * Return the record of the level that a work-group has a strip of, and set *group to the index of the strip in it. The
 * list of a launch says at which group each of the levels from `first_level` on begins.
 */
FUNCTION GLOBAL const struct j2k_work_level *level_of_group(
    GLOBAL const u32 *RESTRICT work, u32 list, u32 count, u32 first_level, u32 *group)
{
    GLOBAL const u32 *groups = work + list;
    u32 index = find_owner(groups, count, group_index());
    GLOBAL const struct j2k_work_level *level =
        (GLOBAL const struct j2k_work_level *)(work + ((GLOBAL const struct j2k_part_work *)work)->level) +
        first_level + index;
    *group = group_index() - groups[index];
    return level;
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
 * Declare, in a kernel's body, a work-item's neighbours, and a word that says on which sides it lacks one: bit 0 stands
 * for the side in front of it.
 */
#define STRIP_NEIGHBOURS(s)                                                                                            \
    const u32 lane = local_index(), before = lane > 0 ? lane - 1 : 0,                                                  \
              behind = lane + 1 < J2K_STRIP_GROUP ? lane + 1 : lane;                                                   \
    const u32 outermost =                                                                                              \
        (lane == 0 ? 1u : 0u) | (lane + 1 == J2K_STRIP_GROUP || (s).x + STRIP_COLUMNS == (s).x1 ? 2u : 0u);

/*
 * Get, for each row, the sample at `index` of a neighbour; `far` becomes an array of these. The outermost work-items,
 * and the one with the level's last columns, lack a neighbour on one side. There LIFT_EVEN_COLUMNS and LIFT_ODD_COLUMNS
 * mirror, which is correct at the ends of a level, and elsewhere does not affect the columns that the group completes.
 * The whole work-group calls this.
 *
 * FOR_ALL returns a condition that is the same for the whole work-group, so that the compiler knows that it is.
 * WRITTEN_OUT stands before a loop that is only written out where shuffles make its body short.
 */
#if HAS_WARPS
#define FOR_ALL(condition) (warp_ballot(condition) != 0)
#define WRITTEN_OUT UNROLL
#define EXCHANGED(components)
#define EXCHANGE(type, rows, value, index, neighbour, far)                                                             \
    UNROLL for (u32 r = 0; r < (rows); r++)(far)[r] =                                                                  \
        type##_of(warp_shuffle(bits_of_##type((value)[r * STRIP_COLUMNS + (index)]), neighbour));
#else
#define FOR_ALL(condition) (condition)
#define WRITTEN_OUT ROLL
#define EXCHANGED(components) SHARED u32 exchange[2 * (components)*J2K_STRIP_GROUP];
#define EXCHANGE(type, rows, value, index, neighbour, far)                                                             \
    barrier_local();                                                                                                   \
    UNROLL for (u32 r = 0; r < (rows); r++) exchange[r * J2K_STRIP_GROUP + local_index()] =                            \
        bits_of_##type((value)[r * STRIP_COLUMNS + (index)]);                                                          \
    barrier_local();                                                                                                   \
    UNROLL for (u32 r = 0; r < (rows); r++)(far)[r] = type##_of(exchange[r * J2K_STRIP_GROUP + (neighbour)]);
#endif

/*
 * Perform a lifting step along rows: even columns, or odd ones, become step(own, one neighbour, the other neighbour).
 */
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
