/* SPDX-License-Identifier: BSD-2-Clause */
/* Where code-blocks may be cut, in the order in which rate allocation takes what comes before. */
#ifndef KOSTKA_J2K_RATE_RATE_CUTS_H
#define KOSTKA_J2K_RATE_RATE_CUTS_H

#include "j2k/rate/rate.h"

/* Where a code-block may be cut: its passes from one point of its convex hull to the next. */
struct j2k_rate_cut {
    float slope; /* gain for a byte; infinite where passes cost none */
    uint32_t block, bytes;
    uint8_t from, to; /* passes */
};

struct j2k_rate_cuts {
    struct j2k_rate_cut *cut; /* of all blocks, by slope from the greatest down; those of a block in their order */
    size_t count;
};

/* The caller releases the array, also after an error. */
kst_status kst_j2k_rate_cuts(
    struct memory *memory, struct pool *pool, const struct j2k_rate *rate, struct j2k_rate_cuts *cuts);

/* Of one block: the gain for a byte of each pass where it may be cut, decreasing; 0 where it may not. */
void kst_j2k_slopes(const uint32_t *length, const double *gain, uint32_t passes, double *slope);

/* By how much some passes of a block lower the error. */
double kst_j2k_gain_of(const struct j2k_rate *rate, uint32_t block, uint32_t from, uint32_t to);

#endif
