/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of an image that is to be encoded, each a plan of its own: the code-blocks of some tiles, or those of a tile
 * that begin in a cell of it, with as much of the picture around them as their coefficients depend on. To a transform
 * what a window holds is the whole; what its blocks get is what the whole would give (T.800 F.3).
 */
#ifndef KOSTKA_J2K_WRITE_WINDOW_H
#define KOSTKA_J2K_WRITE_WINDOW_H

#include "core/memory.h"
#include "j2k/plan/plan.h"

/* What a window is of: blocks whose first coefficient stands in `cell`, of consecutive tiles. */
struct j2k_window_choice {
    uint32_t first_tile, tile_count; /* of the plan */
    struct j2k_rect cell;            /* on the reference grid; cells of a tile reach to its borders where they do */
    bool together;                   /* all components' areas are the same: pixels hold all of them */
};

/* Components' areas are what samples of each are needed; bands' rectangles say where coefficients are. */
struct j2k_window {
    struct j2k_plan plan; /* with all arrays but segments and pieces */
    uint32_t *block;      /* of each of the plan's, which of the image's it is */
};

/* Of a plan that kst_j2k_coded_layout() made. To be released in any case. A window may have no blocks. */
kst_status kst_j2k_window_build(struct memory *memory, const struct j2k_plan *image,
    const struct j2k_window_choice *choice, struct j2k_window *window);

/*
 * From 0, 0: what code-blocks of the lowest resolution take of the picture, those of the largest component. A cell that
 * is smaller has no less around it.
 */
struct j2k_rect kst_j2k_window_unit(const struct j2k_plan *image);

void kst_j2k_window_release(struct memory *memory, struct j2k_window *window);

#endif
