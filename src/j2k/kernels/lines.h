/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the forward wavelet transforms share: a work-group's patch of a level, and lifting along its rows and
 * columns. Along rows a work-item has a pair of samples in every eighth row, along columns eight samples of one column.
 */
#include "kernels/search.h"

#include "j2k/kernels/mirror.h"
#include "j2k/tables/transforms.h"

enum {
    LEVEL_MARGIN = 4,
    LEVEL_PAIRS = (J2K_LEVEL_WIDTH + 2 * LEVEL_MARGIN) / 2, /* pairs of a row: 32, the number of lanes of a warp */
    LEVEL_ODD = 48, /* where the odd positions of a row start: far enough for neighbours to lie in different banks */
    LEVEL_ROW = LEVEL_ODD + LEVEL_PAIRS,
    LEVEL_ROWS = J2K_LEVEL_HEIGHT + 2 * LEVEL_MARGIN,
    LEVEL_STEP = J2K_LEVEL_GROUP / LEVEL_PAIRS, /* distance between a work-item's rows */
    LEVEL_TURNS = LEVEL_ROWS / LEVEL_STEP,
    LEVEL_RUN = J2K_LEVEL_HEIGHT / 4, /* samples of a column that a work-item computes */
    LEVEL_REACH = LEVEL_RUN + 2 * LEVEL_MARGIN
};

/*
 * Describes a group's patch of a level. x and y are the position of its sample (0, 0), in the coordinates of the
 * level's record; both are even.
 */
struct level_patch {
    GLOBAL const struct j2k_work_level *level;
    i32 x, y;
    u32 only_x, only_y; /* the level is one sample wide, or high */
};

FUNCTION struct level_patch patch_of(GLOBAL const struct j2k_work_level *level, u32 group)
{
    struct level_patch t;
    u32 across = (level->x1 + J2K_LEVEL_WIDTH - 1) / J2K_LEVEL_WIDTH;
    t.level = level;
    t.x = (i32)(group % across * J2K_LEVEL_WIDTH) - LEVEL_MARGIN;
    t.y = (i32)(group / across * J2K_LEVEL_HEIGHT) - LEVEL_MARGIN;
    t.only_x = level->x1 - level->x0 == 1;
    t.only_y = level->y1 - level->y0 == 1;
    return t;
}

FUNCTION struct level_patch find_patch(GLOBAL const u32 *work, u32 list, u32 count, u32 first_level)
{
    GLOBAL const u32 *groups = work + list;
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    u32 index = find_owner(groups, count, group_index());
    return patch_of((GLOBAL const struct j2k_work_level *)(work + head->level) + first_level + index,
        group_index() - groups[index]);
}

/* Return a work-item's place among the even positions of its first row; its other rows are LEVEL_STEP rows apart. */
FUNCTION u32 own_place(void)
{
    return local_index() / LEVEL_PAIRS * LEVEL_ROW + local_index() % LEVEL_PAIRS;
}

/*
 * Perform a lifting step along rows. In each of a work-item's pairs, the even (or odd) value becomes the expression of
 * itself, `own`, and its neighbours: `near` in the same pair, and `far` in the adjacent pair. The result is stored in
 * the group's memory. The outermost pairs use their own value for `far`; the resulting errors do not reach the patch.
 * The whole work-group must take part.
 */
#define LIFT_EVEN_PLACES(type, turns, even, odd, patch, expression)                                                    \
    UNROLL for (u32 k = 0; k < (turns); k++)                                                                           \
    {                                                                                                                  \
        u32 at = place + k * LEVEL_STEP * LEVEL_ROW;                                                                   \
        type own = (even)[k], near = (odd)[k], far = (patch)[at + LEVEL_ODD - (pair > 0 ? 1 : 0)];                     \
        (even)[k] = (expression);                                                                                      \
        (patch)[at] = (even)[k];                                                                                       \
    }                                                                                                                  \
    barrier_local();

#define LIFT_ODD_PLACES(type, turns, even, odd, patch, expression)                                                     \
    UNROLL for (u32 k = 0; k < (turns); k++)                                                                           \
    {                                                                                                                  \
        u32 at = place + k * LEVEL_STEP * LEVEL_ROW;                                                                   \
        type own = (odd)[k], near = (even)[k], far = (patch)[at + (pair + 1 < LEVEL_PAIRS ? 1 : 0)];                   \
        (odd)[k] = (expression);                                                                                       \
        (patch)[at + LEVEL_ODD] = (odd)[k];                                                                            \
    }                                                                                                                  \
    barrier_local();

/*
 * Perform a lifting step along a column: every second sample that a work-item holds becomes the expression of itself
 * and its two neighbours.
 */
#define LIFT_COLUMN(value, from, end, expression)                                                                      \
    UNROLL for (u32 i = (from); i < (end); i += 2)(value)[i] = (expression);

/* Return the column of the patch, and with the next function the first of the rows, that a work-item holds. */
FUNCTION u32 own_column(void)
{
    return local_index() % (2 * LEVEL_PAIRS);
}

FUNCTION u32 own_run(void)
{
    return local_index() / (2 * LEVEL_PAIRS) * LEVEL_RUN;
}

FUNCTION u32 column_place(u32 column, u32 row)
{
    return row * LEVEL_ROW + (column & 1) * LEVEL_ODD + column / 2;
}
