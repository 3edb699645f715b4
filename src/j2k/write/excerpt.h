/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Divides an image that is to be encoded into excerpts, each with a plan of its own: the code-blocks of some tiles, or
 * those of a tile that begin in a cell of it, and as much of the picture around them as their coefficients depend on. A
 * transform treats an excerpt like a whole picture, and its blocks get the same coefficients as in the real picture
 * (T.800 F.3).
 */
#ifndef KOSTKA_J2K_WRITE_EXCERPT_H
#define KOSTKA_J2K_WRITE_EXCERPT_H

#include "core/memory.h"
#include "j2k/plan/plan.h"

/* Selects an excerpt: the blocks of consecutive tiles whose first coefficient lies in `cell`. */
struct j2k_excerpt_choice {
    uint32_t first_tile, tile_count; /* indices into the plan */
    struct j2k_rect cell;            /* on the reference grid; cells at a tile's border reach to the border */
    bool together;                   /* all components get the same area, because pixels hold all of them */
};

/*
 * Describes an excerpt. The areas of components are the samples of each that are needed; the rectangles of bands say
 * where coefficients are.
 */
struct j2k_excerpt {
    struct j2k_plan plan; /* has all arrays except segments and pieces */
    uint32_t *block;      /* for each block of the plan, its index in the image */
};

/*
 * Build an excerpt of a plan that kst_j2k_coded_layout() made. It must be released in any case, and may have no blocks.
 */
kst_status kst_j2k_excerpt_build(struct memory *memory, const struct j2k_plan *image,
    const struct j2k_excerpt_choice *choice, struct j2k_excerpt *excerpt);

/*
 * Return the smallest sensible size of cells: the area, from 0,0, that a code-block of the lowest resolution covers in
 * the picture, taken over the components. A smaller cell would need just as much of the picture around it.
 */
struct j2k_rect kst_j2k_excerpt_unit(const struct j2k_plan *image);

void kst_j2k_excerpt_release(struct memory *memory, struct j2k_excerpt *excerpt);

#endif
