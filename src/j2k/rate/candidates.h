/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses among sets of passes of T.814's code-blocks. A set replaces another set as a whole, so that neither lengths
 * nor gains add up from one set to the next. But of all sets of a block, each cut behind any of its passes, those on
 * the convex hull of length and error serve as well as truncation points do (T.800 J.14).
 */
#ifndef KOSTKA_J2K_RATE_CANDIDATES_H
#define KOSTKA_J2K_RATE_CANDIDATES_H

#include "j2k/rate/encoding.h"

struct j2k_choosing;

/*
 * List the choices for coded blocks, whose sets lie in `encoded`. `weight` is as in struct j2k_encode_request. All
 * three are borrowed until the release, which accepts null.
 */
kst_status kst_j2k_choosing_create(struct memory *memory, struct j2k_coded *coded, struct j2k_encoded *encoded,
    const double *weight, struct j2k_choosing **choosing);
void kst_j2k_choosing_release(struct memory *memory, struct j2k_choosing *choosing);

/* Return the number of the last choice. The greater the choice, the longer and better all blocks together. */
size_t kst_j2k_choosing_count(const struct j2k_choosing *choosing);

/* Make a choice, from 0, which has no passes, to the last one: set coded->block, and the passes' lengths and gains. */
void kst_j2k_choose(struct j2k_choosing *choosing, size_t choice);

#endif
