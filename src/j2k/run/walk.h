/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the walk through an image that is decoded in regions because memory is short: to the right, then down. */
#ifndef KOSTKA_J2K_RUN_WALK_H
#define KOSTKA_J2K_RUN_WALK_H

#include <kostka/kostka.h>

/*
 * A region less high or wide than code-blocks as a rule are would have most of them decoded again and again. The blocks
 * at its edges are, and synthesis takes a few samples more.
 */
struct j2k_walk {
    uint32_t width, height; /* of the image */
    kst_region next;        /* the next part, as large as the last one that fitted; it may reach beyond the image */
    uint32_t broad; /* regions of twice that width and more are made narrower before they are made lower; 0: none are */
};

/* Begin a walk over an image that needs `times` the memory that there is. */
void kst_j2k_run_walk_begin(struct j2k_walk *walk, uint32_t width, uint32_t height, uint32_t broad, double times);

/* Return whether there is another part, and describe it. */
bool kst_j2k_run_walk_region(const struct j2k_walk *walk, kst_region *region);

/* Make the part smaller, because it needs `times` the memory that there is. Returns false if that is impossible. */
bool kst_j2k_run_walk_smaller(struct j2k_walk *walk, double times);

/* Go on to the part behind this one. */
void kst_j2k_run_walk_on(struct j2k_walk *walk, kst_region region);

#endif
