/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes blocks for made codestreams (made_blocks.h): sets of T.814 in layers, and passes of T.800. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_MADE_SETS_H
#define KOSTKA_TESTS_SUPPORT_J2K_MADE_SETS_H

#include "support/j2k/made_blocks.h"
#include "support/j2k/model.h"
#include "support/j2k/model_ht.h"

/* Says which passes a block of T.814 has. */
struct made_sets {
    uint32_t placeholders; /* planes in front of the first set, whose passes have no bytes */
    uint32_t sets,
        passes; /* number of sets, each a plane lower, and of passes of the last one; the others have three */
};

/* Give random magnitudes of up to `planes` bits to a block's samples, smaller ones in patches. */
void made_sets_fill(struct model_ht *model, uint32_t planes, uint32_t *random);

/*
 * Code the samples of `source`, whose other members must be set, and add the runs to a block, spread over layers. Of
 * the passes in the packet with the first cleanup pass, decoders take those in front of the last possible cleanup pass
 * for passes without bytes, so that the second set is in a later layer: for several sets there must be three layers.
 * The bytes stay until made_sets_forget() is called.
 */
void made_sets_add(
    struct made_block *block, struct model_ht *source, const struct made_sets *sets, uint32_t layers, uint32_t *random);
void made_sets_forget(void);

/* Do the same with T.800, whose passes are one run. The model must be set but for its magnitudes, which are random. */
void made_codeword_add(struct made_block *block, struct model *source, uint32_t passes, uint32_t *random);

/* Join the runs of a block of T.814 in the first layers to segments. Returns their number. */
uint32_t made_sets_segments(const struct made_block *block, uint32_t layers, struct j2k_codeword segment[MADE_RUNS]);

#endif
