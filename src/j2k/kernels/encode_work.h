/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the host tells the kernels that encode JPEG 2000. Pictures, levels and components' samples are described as for
 * decoding (work.h), whose outputs are the inputs here. Code-blocks come in lists of their own, one a launch: a
 * buffer that starts with a j2k_list_work; offsets in it count 32-bit words from its start.
 */
#ifndef KOSTKA_J2K_KERNELS_ENCODE_WORK_H
#define KOSTKA_J2K_KERNELS_ENCODE_WORK_H

#include "j2k/kernels/work.h"

enum {
    J2K_MODEL_GROUP = 128, /* a run of up to 32 samples each */
    J2K_ORDER_GROUP = 256,
    J2K_CODE_GROUP = 64, /* a code-block each, of J2K_CODE_LANES the first ones */
    J2K_CODE_LANES = 32,
    J2K_COLLECT_GROUP = 64,
    J2K_CODED_SAMPLES = 4096, /* of a block, at most */
    J2K_CODED_COLUMNS = 1024, /* of four samples, likewise */
    J2K_CODED_PLANES = 31,
    J2K_CODED_PASSES = 3 * J2K_CODED_PLANES - 2,
    J2K_DATA_HEAD = 4,   /* bytes in front of a block's, not used */
    J2K_PASS_WORDS = 5,  /* of a pass, while its block is coded: length, gain, where the coder was, bytes of a bound */
    J2K_PASS_RESULT = 3, /* the first of them */
    J2K_GAIN_WORDS =
        5,             /* of a plane: gains of significance, of refinement, how many samples become significant in it */
    J2K_GAIN_LOW = 24, /* a gain has two words, both signed: low + 2^24 × high */
    J2K_MEASURED_GAINS = 1,
    J2K_MEASURED_ERRORS = 2,
    J2K_DECISION_UNIT = 16,  /* bytes, in which room for decisions is counted */
    J2K_DECISION_RAW = 38,   /* a decision is 2 × context + symbol, or this and the bit, */
    J2K_DECISION_END = 0xFF, /* or that a pass ends */
    J2K_LIST_HEAD = 4,       /* words in front of results: 0; units of decisions; words collected: */
    J2K_COLLECTED_PASSES = 2,
    J2K_COLLECTED_DATA = 3
};

#define J2K_NO_ROOM 0xFFFFFFFFu /* a length: there is not room for all of the block's decisions or bytes */

/* A code-block to be coded. */
struct coded_block {
    u32 from; /* of its first sample, in the buffer of samples */
    u32 pitch;
    u32 width, height;
    u32 style;    /* of Table A.19 */
    u32 contexts; /* as in struct work_block */
    u32 exact;    /* integers, all planes of which leave nothing out */
    u32 factor;   /* bits of the single-precision number that makes indices of coefficients */
    u32 measured; /* J2K_MEASURED_GAINS, and perhaps J2K_MEASURED_ERRORS; or 0 */
    u32 stop;     /* bits of the single-precision gain for a byte below which planes are left out; 0: none */
    u32 roi_shift;
    u32 left, top, right, bottom; /* the part of it that is raised by that */
    u32 data;                     /* of its first byte in the buffer of data; a multiple of 4 */
    u32 capacity;                 /* bytes, a multiple of 4 */
    u32 origin;                   /* 0: addresses are worked out once, not for each symbol */
};

/* What came of it. */
struct coded_result {
    u32 planes, passes, length;
    u32 at, data;              /* where its passes and its bytes are collected: words among those of all blocks */
    u32 error_low, error_high; /* of the quantiser, in squares of 2^-14 of its step */
    u32 left_low, left_high;   /* of planes left out, in squares of half steps; see left_shift() */
    u32 decision, decisions;   /* where they are, in units; how many */
};

/* What is found out about a block that is not to be coded. */
struct measured_block {
    u32 planes, reserved;
    u32 error_low, error_high; /* as of a result */
    u32 gains[J2K_GAIN_WORDS * J2K_CODED_PLANES];
};

struct j2k_list_work {
    u32 blocks, block;           /* how many; offset of the first */
    u32 room;                    /* units of decisions that there is room for */
    u32 lanes;                   /* blocks side by side in a row: a power of two up to J2K_CODE_LANES */
    u32 front_lanes, front_rows; /* in the first rows; how many of them there are */
};

#endif
