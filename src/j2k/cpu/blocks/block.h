/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding a code-block (T.800 Annex D), from codeword segments to quantiser indices. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_BLOCK_H
#define KOSTKA_J2K_CPU_BLOCKS_BLOCK_H

#include "core/cpu.h"
#include "j2k/cpu/blocks/mq.h"
#include "j2k/cpu/blocks/neighbours.h"
#include "j2k/cpu/blocks/scan_words.h"
#include "j2k/plan/plan.h"

/* Problems met while decoding, as a bit mask. */
enum {
    J2K_BLOCK_SEGMENTATION = 1, /* a segmentation symbol was not 1010 */
    J2K_BLOCK_TERMINATION = 2,  /* a segment did not end as predictable termination requires */
    /* More passes than the bit-planes have, or a segment with both raw and MQ-coded passes. */
    J2K_BLOCK_PASSES = 4,
    /* More planes, inside or outside the region of interest, than 31 bits can hold together with the fraction. */
    J2K_BLOCK_DEPTH = 8
};

enum {
    /* For 1024 × 4 with a border; (width + 2) × (4 × stripes + 4) is less for all other shapes. */
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
    bool cut;             /* the last codeword is cut short, as struct j2k_block explains */
    uint32_t planes;      /* number of coded bit-planes, without those signalled to be zero */
    uint32_t roi_shift;   /* shift of Annex H: planes from it on are those of the region of interest, moved up by it */
    /* Number of bits to keep below the lowest plane; if negative, the number of lowest planes to leave out. */
    int32_t fraction;
    uint32_t codeword_count;
    const struct j2k_codeword *codewords;
};

struct j2k_block_decoder;

/*
 * The MQ-coded passes, as a tier of the processor runs them. Arrays are indexed by whether contexts are vertically
 * causal. `one` is the value of a bit of the plane.
 */
struct j2k_block_passes {
    void (*significance[2])(struct j2k_block_decoder *decoder, uint32_t one);
    void (*refinement)(struct j2k_block_decoder *decoder, uint32_t one);
    void (*cleanup[2])(struct j2k_block_decoder *decoder, uint32_t one);
};

const struct j2k_block_passes *kst_j2k_block_passes(enum cpu_tier tier);
#if defined(__x86_64__)
const struct j2k_block_passes *kst_j2k_block_passes_avx2(void);
#endif

/* The state and the buffers for decoding one block after the other; only `passes` must be initialised. */
struct j2k_block_decoder {
    const struct j2k_block_passes *passes;
    /*
     * The result, row by row, `width` apart: the sign in bit 31, below it the magnitude, moved up by `fraction`;
     * regions of interest are moved back. Half a step of the lowest plane that was decoded for a coefficient is added
     * if there is a bit for it. So with a fraction of 1 this bias is always added, with 0 only if planes were not
     * decoded.
     */
    uint32_t samples[J2K_BLOCK_SAMPLES];
    /* Samples of the region of interest, set aside before the planes below the shift. */
    uint32_t region[J2K_BLOCK_SAMPLES];
    j2k_neighbours neighbours[J2K_BLOCK_NEIGHBOURS];
    j2k_neighbours negatives[J2K_BLOCK_NEIGHBOURS];
    uint64_t significant[J2K_BLOCK_WORDS];
    uint64_t visited[J2K_BLOCK_WORDS]; /* coded in the significance pass of this plane */
    uint64_t refined[J2K_BLOCK_WORDS]; /* refined in an earlier plane */
    uint64_t inside[J2K_BLOCK_WORDS];  /* region of interest: coefficients that are significant above the shift */
    /* For each bit of a word: where its coefficient is, relative to that of bit 0. */
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
uint32_t kst_j2k_block_decode(struct j2k_block_decoder *decoder, const struct j2k_coded_block *block);

#endif
