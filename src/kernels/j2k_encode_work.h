/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the host tells the kernels that encode JPEG 2000. Pictures, levels and components' samples are described as for
 * decoding (j2k_work.h), whose outputs are the inputs here. Code-blocks come in lists of their own, one a launch: a
 * buffer that starts with a j2k_list_work; offsets in it count 32-bit words from its start.
 */
#ifndef KOSTKA_KERNELS_J2K_ENCODE_WORK_H
#define KOSTKA_KERNELS_J2K_ENCODE_WORK_H

#include "j2k_work.h"

enum {
    J2K_PREPARE_GROUP = 256,
    J2K_CODE_GROUP = 64, /* work-items; J2K_BUNDLE of them share a bundle of blocks */
    J2K_HISTORY = 4,     /* bit planes of a column that its word holds */
    J2K_CHUNK = 32,      /* columns of which rows of bits are kept, */
    J2K_EDGES = 4,       /* four of them: significance and signs of the upper and of the lower row */
    J2K_PLACE_GROUP = 256,
    J2K_COLLECT_GROUP = 64,
    J2K_CODED_SAMPLES = 4096, /* of a block, at most */
    J2K_CODED_PLANES = 31,
    J2K_CODED_PASSES = 3 * J2K_CODED_PLANES - 2,
    J2K_CODED_HISTORY = (J2K_CODED_PLANES + J2K_HISTORY - 1) / J2K_HISTORY, /* half-words a column, at most */
    J2K_DATA_HEAD = 4,                                                      /* bytes in front of a block's, not used */
    J2K_PASS_WORDS = 4,  /* of a pass, while its block is coded: length, gain, where the coder was, bytes of a bound */
    J2K_PASS_RESULT = 2, /* the first of them */
    J2K_GAIN_PLANES = 32,
    /* of a plane: significance, refinement, how many samples become significant in it and were before, what is left
     * when it is the last: low and high half */
    J2K_GAIN_WORDS = 6,
    J2K_LIST_HEAD = 4 /* words in front of results: words collected */
};

#define J2K_NO_ROOM 0xFFFFFFFFu /* a length: there is not room for all of the block's bytes, or planes */

/* A code-block to be coded. */
struct coded_block {
    u32 from; /* of its first sample, in the buffer of samples */
    u32 pitch;
    u32 width, height;
    u32 style;    /* of Table A.19 */
    u32 contexts; /* as in struct work_block */
    u32 exact;    /* integers, all planes of which leave nothing out */
    u32 factor;   /* bits of the single-precision number that makes indices of coefficients */
    u32 measured; /* gains and errors are wanted */
    u32 stop;     /* bits of the single-precision gain for a byte below which planes are left out; 0: none */
    u32 roi_shift;
    u32 left, top, right, bottom; /* the part of it that is raised by that */
    u32 bundle, lane;
    u32 data;     /* of its first byte in the buffer of data; a multiple of 4 */
    u32 capacity; /* bytes, a multiple of 4 */
    u32 reserved;
};

/* What came of it. */
struct coded_result {
    u32 planes, passes, length;
    u32 at;                    /* where its passes are collected, words; its bytes are behind them */
    u32 error_low, error_high; /* of the quantiser, in squares of 2^-14 of its step */
    u32 left_low, left_high;   /* of planes left out, in squares of half steps; see left_shift() */
};

struct j2k_list_work {
    u32 blocks, block; /* how many; offset of the first */
    u32 bundles, bundle;
};

#endif
