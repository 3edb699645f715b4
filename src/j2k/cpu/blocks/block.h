/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding of a code-block (T.800 Annex D): from codeword segments to quantiser indices. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_BLOCK_H
#define KOSTKA_J2K_CPU_BLOCKS_BLOCK_H

#include "core/cpu.h"
#include "j2k/cpu/blocks/mq.h"
#include "j2k/cpu/blocks/neighbours.h"
#include "j2k/cpu/blocks/scan_words.h"
#include "j2k/plan/plan.h"

/* What decoding met, or-ed together. */
enum {
    J2K_BLOCK_SEGMENTATION = 1, /* a segmentation symbol was not 1010 */
    J2K_BLOCK_TERMINATION = 2,  /* a segment did not end as predictable termination does */
    J2K_BLOCK_PASSES = 4,       /* more passes than bit planes, or a segment of both raw and MQ-coded passes */
    J2K_BLOCK_DEPTH = 8 /* more planes, in or outside of the region of interest, than 31 bits hold with the fraction */
};

enum {
    /* 1024 × 4 with a border; (width + 2) × (4 × stripes + 4) is less for all other shapes */
    J2K_BLOCK_NEIGHBOURS = (J2K_BLOCK_SIDE + 2) * 8
};

/* Coding passes that share one codeword. */
struct j2k_codeword {
    const uint8_t *data;
    uint32_t length;
    uint32_t passes;
};

struct j2k_coded_block {
    uint32_t width, height;
    uint32_t orientation; /* enum j2k_orientation */
    uint32_t style;       /* enum j2k_style */
    uint32_t planes;      /* coded bit planes, without those signalled to be zero */
    uint32_t roi_shift;   /* of Annex H: planes above it are those of the region of interest, moved up by it */
    int32_t fraction; /* bits to keep below the lowest plane, or if negative the number of lowest planes to leave out */
    uint32_t codeword_count;
    const struct j2k_codeword *codewords;
};

struct j2k_block_decoder;

/* The passes of the MQ coder's bits, a function each as each tier of the processor has it; by whether contexts are
 * vertically causal. `one` is what a bit of the plane is worth. */
struct j2k_block_passes {
    void (*significance[2])(struct j2k_block_decoder *decoder, uint32_t one);
    void (*refinement)(struct j2k_block_decoder *decoder, uint32_t one);
    void (*cleanup[2])(struct j2k_block_decoder *decoder, uint32_t one);
};

const struct j2k_block_passes *kst_j2k_block_passes(enum cpu_tier tier);
#if defined(__x86_64__)
const struct j2k_block_passes *kst_j2k_block_passes_avx2(void);
#endif

/* Room to decode one block after the other; needs no initialisation but of `passes`. */
struct j2k_block_decoder {
    const struct j2k_block_passes *passes;
    /*
     * Row by row, `width` apart: sign in bit 31, below it the magnitude, moved up by `fraction`; regions of interest
     * are moved back. Half a step of the lowest plane that was decoded for a coefficient is added where there is a bit
     * for it, so that with a fraction of 1 the bias is always there, and with 0 only below planes that were not
     * decoded.
     */
    uint32_t samples[J2K_BLOCK_SAMPLES];
    uint32_t region[J2K_BLOCK_SAMPLES]; /* those of the region of interest, as they were above the shift */
    j2k_neighbours neighbours[J2K_BLOCK_NEIGHBOURS];
    j2k_neighbours negatives[J2K_BLOCK_NEIGHBOURS];
    uint64_t significant[J2K_BLOCK_WORDS];
    uint64_t visited[J2K_BLOCK_WORDS]; /* in the significance pass of this plane */
    uint64_t refined[J2K_BLOCK_WORDS]; /* before */
    uint64_t inside[J2K_BLOCK_WORDS];  /* the region: what had become significant above the shift */
    /* Of the coefficient of each bit, counted from that of bit 0: */
    uint32_t neighbours_at[64];
    uint32_t sample_at[64];
    uint32_t contexts[J2K_CONTEXTS];
    struct j2k_mq mq;
    struct j2k_raw raw;
    uint32_t width, height, stripes;
    uint32_t words;        /* of a stripe; word w of stripe s is number (s + 1) × (words + 1) + w + 1 */
    uint32_t column;       /* how far columns of neighbours lie apart */
    uint64_t last_columns; /* those bits of a stripe's last word that the block has */
    uint64_t last_rows;    /* and of words of the last stripe */
    const uint8_t *zero_coding;
    bool has_region;
};

/*
 * Returns what was met. Nothing is used from the plane with a wrong segmentation symbol on, nor from the segment that
 * ended wrongly if it is not the only one: the block's value is what precedes them.
 */
uint32_t kst_j2k_block_decode(struct j2k_block_decoder *decoder, const struct j2k_coded_block *block);

#endif
