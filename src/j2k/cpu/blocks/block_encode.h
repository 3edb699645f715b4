/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding of a code-block (T.800 Annex D): from quantiser indices to codeword segments, pass by pass. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_BLOCK_ENCODE_H
#define KOSTKA_J2K_CPU_BLOCKS_BLOCK_ENCODE_H

#include "core/cpu.h"
#include "j2k/cpu/blocks/mq.h"
#include "j2k/cpu/blocks/mq_encode.h"
#include "j2k/cpu/blocks/scan_words.h"
#include "j2k/plan/plan.h"

enum {
    J2K_ENCODER_PLANES = 31, /* of a magnitude */
    J2K_BLOCK_PASSES_MAX = 3 * J2K_ENCODER_PLANES - 2,
    J2K_BLOCK_COLUMNS = 1024,                 /* of four rows, at most */
    J2K_PLANE_WORDS = J2K_BLOCK_SAMPLES / 16, /* at most, of blocks four columns wide */
    /*
     * Decisions of one plane, its signs aside: four for a column, or one that ends its run, two that say where, and one
     * for each row behind; and a segmentation symbol.
     */
    J2K_PLANE_DECISIONS = 6 * J2K_BLOCK_COLUMNS + 4,
    /* Of one pass, its signs included; sixteen more may be written. */
    J2K_BLOCK_DECISIONS = J2K_PLANE_DECISIONS + J2K_BLOCK_SAMPLES + 16,
    /* At most 15 bits a decision and 7 a byte; and the ends of all segments. */
    J2K_ENCODER_ROOM =
        (J2K_ENCODER_PLANES * J2K_PLANE_DECISIONS + J2K_BLOCK_SAMPLES) * 15 / 7 + 8 * J2K_BLOCK_PASSES_MAX
};

struct j2k_block_encoder;
struct j2k_measure;
struct j2k_gains;

/* What each tier of the processor does in its own way (coding_passes.h); the outcome is the same. */
struct j2k_coding_passes {
    void (*gather)(struct j2k_block_encoder *encoder); /* planes and signs of all samples */
    struct j2k_gains (*gains)(const struct j2k_measure *measure, const uint32_t *sample, uint32_t count);
    /* Passes write their decisions to encoder->decision. The first of them without measuring, with ordinary contexts;
     * otherwise ordinary and vertically causal ones (D.7). */
    int64_t (*plain_significance)(
        struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure);
    int64_t (*significance[2])(
        struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure);
    j2k_decision *(*refinement)(struct j2k_block_encoder *encoder);
    j2k_decision *(*cleanup[2])(struct j2k_block_encoder *encoder);
    void (*encode)(
        struct j2k_mq_encoder *mq, uint32_t *contexts, const j2k_decision *decision, const j2k_decision *end);
};

const struct j2k_coding_passes *kst_j2k_coding_passes(enum cpu_tier tier);
const struct j2k_coding_passes *kst_j2k_coding_passes_avx2(void);

struct j2k_block_source {
    const struct j2k_coding_passes *passes;
    uint32_t width, height;
    uint32_t orientation; /* enum j2k_orientation */
    uint32_t style;       /* enum j2k_style */
    bool exact;           /* once all planes are known nothing is left of the error: reversible transforms */
    bool measure;         /* work out gains */
    bool sum;             /* and what the planes that are left out would have gained; if measured */
    double
        stop; /* planes that seem to gain less for a byte are left out, below one that does not; 0: none. If measured */
};

/* What a pass ends with. */
struct j2k_pass {
    uint32_t length; /* see j2k_coded.pass_length in j2k/write/coded.h */
    /* By how much it lowers the squared error, summed up over the block, in squares of half a quantiser step: exact, as
     * it is an integer of at most 48 bits times a power of two. */
    double gain;
};

/* Room to encode one block after the other; needs no initialisation. */
struct j2k_block_encoder {
    uint32_t sample[J2K_BLOCK_SAMPLES]; /* set before the call: rows `width` apart, sign in bit 31 of a magnitude */
    struct j2k_pass pass[J2K_BLOCK_PASSES_MAX];
    uint32_t planes; /* of the largest magnitude */
    uint32_t passes; /* 3 × planes − 2, or fewer because of `stop`; 0 where all is 0 */
    uint8_t *data;   /* of the segments, one after the other */
    uint32_t length;
    double left; /* what the planes that were left out would have gained, as pass.gain */

    const struct j2k_block_source *source;
    struct j2k_mq_bound bound[J2K_BLOCK_PASSES_MAX]; /* of the passes of the segment at hand */
    /* See scan_words.h. Those of planes have no words around them. */
    uint64_t significant[J2K_BLOCK_WORDS];
    uint64_t visited[J2K_BLOCK_WORDS]; /* in the significance pass of this plane */
    uint64_t refined[J2K_BLOCK_WORDS]; /* before */
    uint64_t negative[J2K_BLOCK_WORDS];
    uint64_t plane[J2K_ENCODER_PLANES][J2K_PLANE_WORDS];
    const uint64_t *bits;  /* of the plane at hand */
    uint32_t words;        /* of a stripe */
    uint64_t last_columns; /* those bits of a stripe's last word that the block has */
    uint64_t last_rows;    /* and of words of the last stripe */
    j2k_decision decision[J2K_BLOCK_DECISIONS];
    uint32_t contexts[J2K_CONTEXTS];
    struct j2k_mq_encoder mq;
    struct j2k_raw_writer raw;
    uint32_t stripes;
    uint8_t room[J2K_ENCODER_ROOM];
};

void kst_j2k_block_encode(struct j2k_block_encoder *encoder, const struct j2k_block_source *source);

/* Without coding: what each plane gains, from the lowest. Returns how many there are, up to J2K_ENCODER_PLANES. */
uint32_t kst_j2k_block_measure(
    struct j2k_block_encoder *encoder, const struct j2k_block_source *source, struct j2k_gains *gains);

#endif
