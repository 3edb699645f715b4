/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares cuts: the points at which code-blocks may be truncated, in the order in which rate allocation takes the
 * passes before them.
 */
#ifndef KOSTKA_J2K_RATE_RATE_CUTS_H
#define KOSTKA_J2K_RATE_RATE_CUTS_H

#include "j2k/rate/rate.h"

/* Describes a cut of a code-block: the passes from one point of its convex hull to the next. */
struct j2k_rate_cut {
    float slope; /* gain per byte; infinite if the passes take no bytes */
    uint32_t block, bytes;
    uint8_t from, to; /* the passes `from` to `to` − 1 */
};

struct j2k_rate_cuts {
    struct j2k_rate_cut *cut; /* cuts of all blocks, by slope, greatest first; a block's own stay in order */
    size_t count;
};

/* Find and sort the cuts of all blocks. The caller releases the array, also after an error. */
kst_status kst_j2k_rate_cuts(
    struct memory *memory, struct pool *pool, const struct j2k_rate *rate, struct j2k_rate_cuts *cuts);

/* For one block, set the gain per byte of each pass at which it may be cut, which decreases; 0 for other passes. */
void kst_j2k_slopes(const uint32_t *length, const double *gain, uint32_t passes, double *slope);

/* Return how much the passes `from` to `to` − 1 of a block lower the error. */
double kst_j2k_gain_of(const struct j2k_rate *rate, uint32_t block, uint32_t from, uint32_t to);

#endif
