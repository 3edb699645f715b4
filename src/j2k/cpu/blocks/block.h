/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how a code-block is decoded (T.800 Annex D), from codeword segments to quantiser indices. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_BLOCK_H
#define KOSTKA_J2K_CPU_BLOCKS_BLOCK_H

#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/cpu/blocks/mq.h"
#include "j2k/cpu/blocks/neighbours.h"
#include "j2k/cpu/blocks/scan_words.h"

enum {
    /* For 1024 × 4 with a border; (width + 2) × (4 × stripes + 4) is less for all other shapes. */
    J2K_BLOCK_NEIGHBOURS = (J2K_BLOCK_SIDE + 2) * 8
};

struct j2k_block_decoder;

/*
 * Holds the MQ-coded passes, as a tier of the processor runs them. Arrays are indexed by whether contexts are
 * vertically causal. `one` is the value of a bit of the plane.
 */
struct j2k_block_passes {
    void (*significance[2])(struct j2k_block_decoder *decoder, uint32_t one);
    void (*refinement)(struct j2k_block_decoder *decoder, uint32_t one);
    void (*cleanup[2])(struct j2k_block_decoder *decoder, uint32_t one);
};

const struct j2k_block_passes *kst_j2k_cpu_block_passes(enum cpu_tier tier);
#if defined(__x86_64__)
const struct j2k_block_passes *kst_j2k_cpu_block_passes_avx2(void);
#endif

/* Holds the state and the buffers for decoding one block after the other; only `passes` must be initialised. */
struct j2k_block_decoder {
    /*
     * The result, row by row, `width` apart: the sign in bit 31, below it the magnitude, moved up by `fraction`;
     * regions of interest are moved back. Half a step of the lowest plane that was decoded for a coefficient is added
     * if there is a bit for it. So with a fraction of 1 this bias is always added, with 0 only if planes were not
     * decoded.
     */
    uint32_t samples[J2K_BLOCK_SAMPLES];
    const struct j2k_block_passes *passes;
    uint32_t known; /* number of passes from which the result was decoded */
    /* Samples of the region of interest, saved before the planes below the shift are decoded. */
    uint32_t region[J2K_BLOCK_SAMPLES];
    j2k_neighbours neighbours[J2K_BLOCK_NEIGHBOURS];
    j2k_neighbours negatives[J2K_BLOCK_NEIGHBOURS];
    uint64_t significant[J2K_BLOCK_WORDS];
    uint64_t visited[J2K_BLOCK_WORDS]; /* coded in the significance pass of this plane */
    uint64_t refined[J2K_BLOCK_WORDS]; /* refined in an earlier plane */
    uint64_t inside[J2K_BLOCK_WORDS];  /* region of interest: coefficients that are significant above the shift */
    /* Holds, for each bit of a word, where its coefficient is relative to that of bit 0. */
    uint32_t neighbours_at[64];
    uint32_t sample_at[64];
    uint32_t contexts[J2K_CONTEXTS];
    struct j2k_mq mq;
    struct j2k_raw raw;
    uint32_t width, height, stripes;
    uint32_t words;        /* words of a stripe; word w of stripe s has index (s + 1) × (words + 1) + w + 1 */
    uint32_t column;       /* distance of columns in the arrays of neighbours */
    uint64_t last_columns; /* bits of a stripe's last word that belong to the block */
    uint64_t last_rows;    /* bits of the last stripe's words that belong to the block */
    const uint8_t *zero_coding;
    bool has_region;
};

/*
 * Decode a block. Returns the problems that were met. If a segmentation symbol is wrong, its plane and everything after
 * it is left out. If a segment ended wrongly and is not the only one, it and everything after it is left out. The block
 * keeps the values decoded before.
 */
uint32_t kst_j2k_cpu_block_decode(struct j2k_block_decoder *decoder, const struct j2k_coded_block *block);

#endif
