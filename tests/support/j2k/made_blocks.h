/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts codestreams together whose only band has one or two code-blocks of given bytes: sets of T.814 and passes in
 * front of them, in any layers, and codewords of T.800.
 */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_MADE_BLOCKS_H
#define KOSTKA_TESTS_SUPPORT_J2K_MADE_BLOCKS_H

#include "j2k/plan/block_coder.h"
#include "support/j2k/codestream.h"

enum { MADE_BLOCKS = 2, MADE_RUNS = 24, MADE_CCAP_NONE = 0x10000 };

/* Describes passes that a packet adds to a segment of a block. */
struct made_run {
    uint32_t layer, passes, length;
    const uint8_t *data;
};

/* Describes a block. Its runs are in the order of their layers, and the first one is in the first layer. */
struct made_block {
    uint32_t width;
    enum j2k_block_coder_kind coder;
    struct made_run run[MADE_RUNS];
    uint32_t runs;
};

/*
 * Describes a band of signed samples without a transform. Of two blocks side by side, the first one's width is a power
 * of two from 4 on.
 */
struct made_band {
    uint32_t height, layers;
    uint32_t planes, missing; /* bit-planes of the band without those of a region of interest, 1–31; and each block's */
    uint32_t style, roi_shift;
    uint32_t ccap; /* Ccap15; MADE_CCAP_NONE: there is no CAP */
    struct made_block block[MADE_BLOCKS];
    uint32_t blocks;
};

void made_blocks_write(struct made *made, const struct made_band *band);

/* Return where a run's bytes are in the codestream that was written last. */
size_t made_blocks_place(const struct made_run *run);

#endif
