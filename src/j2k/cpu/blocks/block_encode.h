/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how a code-block is encoded (T.800 Annex D), from quantiser indices to codeword segments, pass by pass. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_BLOCK_ENCODE_H
#define KOSTKA_J2K_CPU_BLOCKS_BLOCK_ENCODE_H

#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/cpu/blocks/mq.h"
#include "j2k/cpu/blocks/mq_encode.h"
#include "j2k/cpu/blocks/scan_words.h"

enum {
    J2K_PLANE_WORDS = J2K_BLOCK_SAMPLES / 16, /* at most, for blocks four columns wide */
    /*
     * Most decisions of one plane, without signs: for each column four, or one that ends its run, two for the place in
     * the run and one for each row after that place; and a segmentation symbol.
     */
    J2K_PLANE_DECISIONS = 6 * J2K_BLOCK_COLUMNS + 4,
    /* Most decisions of one pass, with signs; up to sixteen more may be written. */
    J2K_BLOCK_DECISIONS = J2K_PLANE_DECISIONS + J2K_BLOCK_SAMPLES + 16,
    /* Most coded bytes: at most 15 bits per decision and at least 7 bits per byte, and the ends of all segments. */
    J2K_ENCODER_ROOM = (J2K_CODED_PLANES * J2K_PLANE_DECISIONS + J2K_BLOCK_SAMPLES) * 15 / 7 + 8 * J2K_CODED_PASSES
};

struct j2k_block_encoder;
struct j2k_measure;

/*
 * Holds the functions that tiers of the processor implement differently (coding_passes.h); their results are the same.
 */
struct j2k_coding_passes {
    void (*gather)(struct j2k_block_encoder *encoder); /* collects the planes and signs of all samples */
    struct j2k_gains (*gains)(const struct j2k_block_encoder *encoder, const struct j2k_measure *measure);
    /*
     * Passes write their decisions to encoder->decision. plain_significance does not measure gains and uses ordinary
     * contexts. The arrays are indexed by whether contexts are vertically causal (D.7).
     */
    int64_t (*plain_significance)(
        struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure);
    int64_t (*significance[2])(
        struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure);
    j2k_decision *(*refinement)(struct j2k_block_encoder *encoder);
    j2k_decision *(*cleanup[2])(struct j2k_block_encoder *encoder);
    uint32_t (*cleanup_cost)(struct j2k_block_encoder *encoder); /* see measure.h; behind the significance pass */
    void (*encode)(
        struct j2k_mq_encoder *mq, uint32_t *contexts, const j2k_decision *decision, const j2k_decision *end);
};

const struct j2k_coding_passes *kst_j2k_cpu_coding_passes(enum cpu_tier tier);
const struct j2k_coding_passes *kst_j2k_cpu_coding_passes_avx2(void);

/* Holds the state and the buffers for encoding one block after the other; only `functions` must be initialised. */
struct j2k_block_encoder {
    uint32_t sample[J2K_BLOCK_SAMPLES]; /* input: rows `width` apart, sign in bit 31 of a magnitude */
    struct j2k_pass pass[J2K_CODED_PASSES];
    uint32_t planes; /* bit-planes of the largest magnitude */
    uint32_t passes; /* 3 × planes − 2, or fewer because of `stop`; 0 if all samples are 0 */
    uint8_t *data;   /* bytes of the segments, one after the other */
    uint32_t length;
    double left; /* gain of the planes left out, in the unit of pass.gain */

    const struct j2k_coding_passes *functions; /* set before a block is coded or measured */
    const struct j2k_block_settings *settings;
    struct j2k_mq_bound bound[J2K_CODED_PASSES]; /* for the passes of the current segment */
    /* Sets of coefficients, see scan_words.h. Those of planes have no zero words around them. */
    uint64_t significant[J2K_BLOCK_WORDS];
    uint64_t visited[J2K_BLOCK_WORDS]; /* coded in the significance pass of this plane */
    uint64_t refined[J2K_BLOCK_WORDS]; /* refined in an earlier plane */
    uint64_t negative[J2K_BLOCK_WORDS];
    uint64_t plane[J2K_CODED_PLANES][J2K_PLANE_WORDS];
    const uint64_t *bits;  /* of the current plane */
    uint32_t words;        /* words of a stripe */
    uint64_t last_columns; /* bits of a stripe's last word that belong to the block */
    uint64_t last_rows;    /* bits of the last stripe's words that belong to the block */
    j2k_decision decision[J2K_BLOCK_DECISIONS];
    uint32_t contexts[J2K_CONTEXTS];
    struct j2k_mq_encoder mq;
    struct j2k_raw_writer raw;
    uint32_t stripes;
    uint8_t room[J2K_ENCODER_ROOM];
};

void kst_j2k_cpu_block_encode(struct j2k_block_encoder *encoder, const struct j2k_block_settings *settings);

/*
 * Compute what each plane gains, from the lowest one up, without coding. Returns the number of planes, up to
 * J2K_CODED_PLANES.
 */
uint32_t kst_j2k_cpu_block_measure(
    struct j2k_block_encoder *encoder, const struct j2k_block_settings *settings, struct j2k_gains *gains);

#endif
