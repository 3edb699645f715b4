/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the walk through an image that is decoded in regions because memory is short: from left to right, and then
 * down.
 */
#ifndef KOSTKA_J2K_RUN_WALK_H
#define KOSTKA_J2K_RUN_WALK_H

#include <kostka/kostka.h>

/*
 * Describes a walk. Regions should not be lower or narrower than code-blocks usually are, because most blocks would
 * then be decoded many times. In any case, blocks at the edges of regions are decoded more than once, and synthesis
 * takes a few additional samples.
 */
struct j2k_walk {
    uint32_t width, height; /* size of the image */
    kst_region next;        /* the next part, as large as the last one that fitted; it may reach beyond the image */
    uint32_t broad;         /* regions at least twice as wide are made narrower before they are made lower; 0: none */
};

/* Begin a walk over an image that needs `times` the available memory. */
void kst_j2k_run_walk_begin(struct j2k_walk *walk, uint32_t width, uint32_t height, uint32_t broad, double times);

/* Return whether there is another region, and describe it. */
bool kst_j2k_run_walk_region(const struct j2k_walk *walk, kst_region *region);

/* Make the region smaller, because it needs `times` the available memory. Returns false if that is impossible. */
bool kst_j2k_run_walk_smaller(struct j2k_walk *walk, double times);

/* Go on to the region behind this one. */
void kst_j2k_run_walk_on(struct j2k_walk *walk, kst_region region);

#endif
