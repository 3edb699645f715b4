/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes which samples the refinement passes of T.814 (7.4, 7.5) visit, for decoding and encoding. Samples are taken
 * in groups of four columns of a stripe: bit 4 x + y of a group is the sample in its column x and row y.
 */
#include "kernels/portable.h"

#include "j2k/tables/blocks.h"

enum {
    GROUP_TOP = 0x1111, /* masks of a group: its first row, its last row, its first column, and all of it */
    GROUP_BOTTOM = 0x8888,
    GROUP_COLUMN = 0x000F,
    GROUP_ALL = 0xFFFF,
    /* Most groups of a block with the groups around it: a block of 1,024 columns or rows has the most. */
    GROUPS_MOST = (J2K_BLOCK_SIDE / 4 + 2) * 3
};

/* Describes a block's groups in the work-group's memory: group g of stripe s is at (s + 1) × pitch + g + 1. */
struct ht_groups {
    LOCAL u16 *now, *fresh; /* significant after the cleanup pass; and by significance propagation */
    u32 pitch, columns, stripes;
};

/* Return those samples of a group that are inside a block. */
FUNCTION u32 inside_group(u32 width, u32 height, u32 stripe, u32 group)
{
    u32 columns = width - 4 * group, rows = height - 4 * stripe;
    u32 mask = columns < 4 ? (1u << 4 * columns) - 1 : GROUP_ALL;
    return rows < 4 ? mask & GROUP_TOP * ((1u << rows) - 1) : mask;
}

/* Return the samples of a group that are set or have a neighbour in the group that is set. */
FUNCTION u32 grown(u32 bits)
{
    u32 column = bits | (bits << 1 & (GROUP_ALL - GROUP_TOP)) | (bits >> 1 & (GROUP_ALL - GROUP_BOTTOM));
    return (column | column << 4 | column >> 4) & GROUP_ALL;
}

/* Return the samples of a row that have neighbours in row `row` of the groups above or below. */
FUNCTION u32 grown_row(u32 left, u32 here, u32 right, u32 row)
{
    u32 own = here >> row & GROUP_TOP;
    return (own | own << 4 | own >> 4 | (left >> (12 + row) & 1) | (right >> row & 1) << 12) & GROUP_ALL;
}

/*
 * Return the samples of a column that have neighbours in the adjacent column of the group beside it, the first column
 * of `bits`.
 */
FUNCTION u32 grown_column(u32 bits)
{
    bits &= GROUP_COLUMN;
    return (bits | bits << 1 | bits >> 1) & GROUP_COLUMN;
}

/* Return the samples of a group that have significant neighbours before any sample of the group becomes significant. */
FUNCTION u32 near_significant(const struct ht_groups *g, u32 at, u32 causal)
{
    u32 up = at - g->pitch, down = at + g->pitch, near = grown(g->now[at]);
    near |= grown_column((u32)(g->now[at - 1] | g->fresh[at - 1]) >> 12) | grown_column(g->now[at + 1]) << 12;
    near |=
        grown_row(g->now[up - 1] | g->fresh[up - 1], g->now[up] | g->fresh[up], g->now[up + 1] | g->fresh[up + 1], 3);
    return causal ? near : near | grown_row(g->now[down - 1], g->now[down], g->now[down + 1], 0) << 3;
}
