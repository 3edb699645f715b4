/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how a code-block is encoded according to T.814: an HT set of a cleanup pass and, if they are wanted, the
 * SigProp and the MagRef pass of the plane below.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_H

#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/tables/ht.h"

enum {
    J2K_HT_ROW_QUADS = 512,                    /* most quads of a row of quads */
    J2K_HT_SET = 3,                            /* most passes of a set */
    J2K_HT_FRACTION = 6,                       /* bits of errors and lengths while samples are rounded */
    J2K_HT_FLAT_SIGNS = 4 * J2K_BLOCK_SAMPLES, /* most bytes of MagSgn before stuffing: 32 bits a sample */
    /* Most bytes of VLC before stuffing: two codewords of 7 bits and two codes of u of 8 bits for each pair of quads.
     */
    J2K_HT_FLAT_CODES = 4 * J2K_BLOCK_SAMPLES / 8,
    J2K_HT_RUNS = 256,  /* more than the bytes of MEL, which has at most three events for two quads */
    J2K_HT_AROUND = 2,  /* quads beside a row that rounding looks at */
    J2K_HT_MARGIN = 16, /* bytes that may be read or written behind a stream */
    J2K_HT_REFINEMENT = J2K_HT_REFINEMENT_MOST + 2 + J2K_HT_MARGIN,
    /* Samples of a block with one more on each side; the widest and the highest blocks have most. */
    J2K_HT_KNOWN = J2K_BLOCK_SAMPLES + 2 * (J2K_BLOCK_SIDE + 4) + 4,
    /* Most bytes of a block: stuffing adds a bit to 15 of MagSgn, and less than that to VLC. */
    J2K_HT_ENCODER_ROOM =
        J2K_HT_FLAT_SIGNS / 15 * 16 + J2K_HT_FLAT_CODES / 7 * 8 + J2K_HT_RUNS + J2K_HT_REFINEMENT + 4 * J2K_HT_MARGIN
};

/* Holds a row of quads, ready to be coded. Quads behind the last one have zeros, up to a multiple of eight. */
struct j2k_ht_row {
    uint16_t code[J2K_HT_ROW_QUADS];        /* the index into the tables of ht_encode.h */
    uint8_t bound[J2K_HT_ROW_QUADS];        /* U, 1–32 */
    uint8_t excess[J2K_HT_ROW_QUADS];       /* u, 0–31 */
    uint8_t known[J2K_HT_ROW_QUADS];        /* e_k of the codewords */
    uint32_t value[4 * J2K_HT_ROW_QUADS];   /* for each sample of each quad 2 (mu − 1) + sign; 0 if mu is 0 */
    uint8_t exponent[4 * J2K_HT_ROW_QUADS]; /* of the same samples; tiers may order them as they like */
};

/*
 * Holds what a row of quads needs of the row above it: from index 1 on the quads' rho, and from index 2 on the
 * exponents of the quads' lower samples, with zeros around them.
 */
struct j2k_ht_above {
    uint8_t rho[J2K_HT_ROW_QUADS + J2K_HT_MARGIN];
    uint8_t exponent[2 * J2K_HT_ROW_QUADS + 2 * J2K_HT_MARGIN];
    bool some; /* there is a sample that is not 0 */
};

/* Holds bits one after the other, the lowest of each byte first, without stuffing. */
struct j2k_ht_flat {
    uint64_t bits;  /* those that do not fill a byte yet */
    uint32_t count; /* fewer than 8 between calls */
    uint8_t *at;
};

/* Holds the state of the MEL coder (T.814, 7.3.3). */
struct j2k_ht_runs {
    uint8_t *at;
    uint32_t byte, room;         /* the started byte, and the number of its bits that are free */
    uint32_t state, run, length; /* zeros so far, and how many make a run */
};

/* Holds events of MEL, the first one in the lowest bit. */
struct j2k_ht_events {
    uint32_t bits, count;
};

/* Holds a row of quads as it is rounded: rho and the exponents of all samples, with quads of zeros around them. */
struct j2k_ht_rounded {
    uint8_t rho[J2K_HT_ROW_QUADS + 2 * J2K_HT_AROUND];
    uint8_t exponent[4 * (J2K_HT_ROW_QUADS + 2 * J2K_HT_AROUND)];
};

struct j2k_ht_encoder {
    uint32_t sample[J2K_BLOCK_SAMPLES]; /* input: rows `width` apart, sign in bit 31 of a magnitude */
    struct j2k_pass pass[J2K_HT_SET];
    uint32_t passes;
    uint32_t length; /* bytes in `data` */
    uint32_t width, height, plane, style;
    struct j2k_ht_row row;
    struct j2k_ht_above above[2]; /* of the row that is being made and the one above, in turn */
    struct j2k_ht_flat signs, codes;
    struct j2k_ht_runs runs;
    uint8_t flat_signs[J2K_HT_FLAT_SIGNS + J2K_HT_MARGIN];
    uint8_t flat_codes[J2K_HT_FLAT_CODES + J2K_HT_MARGIN];
    uint8_t run_bytes[J2K_HT_RUNS];
    uint8_t stuffed[J2K_HT_FLAT_CODES / 7 * 8 + J2K_HT_MARGIN]; /* VLC in the order of its bits */
    uint8_t refined[J2K_HT_REFINEMENT];                         /* MagRef in the order of its bits */
    uint8_t known[J2K_HT_KNOWN]; /* for refinement: which samples are significant, with zeros around the block */
    uint8_t data[J2K_HT_ENCODER_ROOM];
    uint32_t source[J2K_BLOCK_SAMPLES]; /* with rounding: the samples before it */
    struct j2k_ht_rounded rounded[3];
};

/* Holds the functions that tiers implement differently; their results are the same. */
struct j2k_ht_coding {
    uint32_t (*any)(const uint32_t *sample, uint32_t count); /* returns all samples combined by OR */
    /* Codes all quads to the three streams, which are not ended yet. */
    void (*cleanup)(struct j2k_ht_encoder *encoder);
    /* Returns the number of bits of the three streams together, without bits of stuffing and without Scup. */
    uint32_t (*count)(struct j2k_ht_encoder *encoder);
    /*
     * Counts these bits from coefficients that are not quantised yet, as in struct j2k_block_functions; null: the tier
     * cannot.
     */
    uint32_t (*count_reals)(struct j2k_ht_encoder *encoder, const struct j2k_ht_reals *reals, float *largest);
};

const struct j2k_ht_coding *kst_j2k_cpu_ht_coding(enum cpu_tier tier);
#if defined(__x86_64__)
const struct j2k_ht_coding *kst_j2k_cpu_ht_coding_avx2(void);
const struct j2k_ht_coding *kst_j2k_cpu_ht_coding_avx512(void);
#elif defined(__aarch64__)
const struct j2k_ht_coding *kst_j2k_cpu_ht_coding_neon(void);
#endif

/* Join the three streams into the cleanup segment at encoder->data. Returns its length, Lcup. */
uint32_t kst_j2k_cpu_ht_join(struct j2k_ht_encoder *encoder);

/* Code the refinement passes of the plane below the cleanup pass behind it, and set the lengths of the passes. */
void kst_j2k_cpu_ht_refine(struct j2k_ht_encoder *encoder, uint32_t passes);

/*
 * Change samples so that the block, coded from encoder->plane on, gets shorter by more than the error is worth.
 * `worth` is the error that one bit is worth, in squares of 2^-J2K_HT_FRACTION of that plane's step.
 */
void kst_j2k_cpu_ht_round(struct j2k_ht_encoder *encoder, uint32_t worth);

/* Encode a block, or count its bits: entries of struct j2k_block_functions. */
void kst_j2k_cpu_ht_encode(struct j2k_block_scratch *scratch, enum cpu_tier tier,
    const struct j2k_block_settings *settings, struct j2k_block_outcome *outcome);
bool kst_j2k_cpu_ht_count_reals(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_ht_reals *reals,
    float *largest, uint32_t *bits);
uint32_t kst_j2k_cpu_ht_count(
    struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_block_settings *settings);

#endif
