/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of an image that is too much at once, one after the other: to the right, then down. */
#ifndef KOSTKA_J2K_RUN_WALK_H
#define KOSTKA_J2K_RUN_WALK_H

#include <kostka/kostka.h>

/*
 * A part less high or wide than code-blocks as a rule are would have most of them decoded again and again. The blocks
 * at its edges are, and synthesis takes a few samples more.
 */
struct j2k_walk {
    uint32_t width, height; /* of the image */
    kst_region next;        /* as large as there was room for, which may reach beyond the image */
    uint32_t broad; /* parts of twice that width and more are made narrower before they are made lower; 0: none are */
};

/* Of an image that takes so many times the memory that there is. */
void kst_j2k_walk_begin(struct j2k_walk *walk, uint32_t width, uint32_t height, uint32_t broad, double times);

/* Whether there is another one, and which. */
bool kst_j2k_walk_part(const struct j2k_walk *walk, kst_region *part);

/* It takes so many times the memory that there is. False where it cannot be made smaller. */
bool kst_j2k_walk_smaller(struct j2k_walk *walk, double times);

/* To the one behind it. */
void kst_j2k_walk_on(struct j2k_walk *walk, kst_region part);

#endif
