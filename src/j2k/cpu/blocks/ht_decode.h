/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how a code-block of T.814 is decoded. A set of passes is decoded in three steps: MEL and VLC give what is
 * known of all quads, MagSgn gives the samples of one row of quads after the other, and the refinement passes add a
 * plane.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_DECODE_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_DECODE_H

#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/tables/ht.h"

enum {
    J2K_HT_QUAD_COLUMNS = J2K_BLOCK_SIDE / 2,
    J2K_HT_QUAD_ROWS = J2K_BLOCK_SIDE / 2,
    /* A row has an even number of quads, and one more on each side. Blocks of two columns of samples need most. */
    J2K_HT_QUADS = J2K_BLOCK_SAMPLES / 4 + 3 * J2K_HT_QUAD_ROWS + 16, /* sixteen quads can be read together */
    J2K_HT_GROUPS = J2K_BLOCK_SAMPLES / 16 + 3 * (J2K_BLOCK_SIDE / 4 + 2) + 4,
    J2K_HT_DEEP_WORD = 64,    /* most bits of a number of MagSgn */
    J2K_HT_SLACK = 64,        /* bytes that may be read behind a buffer's contents */
    J2K_HT_ABOVE_AROUND = 40, /* columns around those of a row, so that sixteen quads can look at them together */
    /* A row of quads is checked only when it is done, so that the bits of a whole row may be read behind the end. */
    J2K_HT_VLC_ROOM = J2K_HT_SUFFIX_MOST + J2K_HT_QUAD_COLUMNS * 5 / 2 + J2K_HT_SLACK,
    J2K_HT_REFINEMENT_ROOM = J2K_HT_REFINEMENT_MOST + J2K_HT_SLACK,
    J2K_HT_MAGSGN_ROOM = (J2K_BLOCK_SAMPLES + 4 * J2K_HT_QUAD_COLUMNS) * J2K_HT_DEEP_WORD / 8 + 2 * J2K_HT_SLACK
};

/* Holds bits without stuffing, behind which there are zeros. */
struct j2k_ht_run {
    const uint8_t *data;
    uint32_t at, count;
};

/* Holds the state and the buffers for decoding one block after the other; nothing must be initialised. */
struct j2k_ht_decoder {
    uint32_t sample[J2K_BLOCK_SAMPLES]; /* as `samples` of struct j2k_block_decoder */
    uint64_t deep[J2K_BLOCK_SAMPLES];   /* samples that do not fit 32 bits yet; the sign in bit 63 */
    uint8_t vlc[J2K_HT_VLC_ROOM];
    uint8_t magsgn[J2K_HT_MAGSGN_ROOM];
    uint8_t forward[J2K_HT_REFINEMENT_ROOM], backward[J2K_HT_REFINEMENT_ROOM];
    /*
     * What MEL and VLC say about the quads: an entry of the table of codes (ht_vlc.h), 0 where no sample is
     * significant, and u. Quad q of row r is at r × quad_pitch + q + 1.
     */
    uint16_t quad[J2K_HT_QUADS];
    uint8_t u[J2K_HT_QUADS];
    /*
     * For each column of samples, and some around: µ − 1 in the row above, or 0.
     */
    uint32_t above[J2K_BLOCK_SIDE + J2K_HT_ABOVE_AROUND];
    uint64_t deep_above[J2K_BLOCK_SIDE + 8];
    /*
     * Significance after the cleanup pass, and after the one of significance propagation: 16 bits for 4 columns of a
     * stripe of 4 rows, column by column. Group g of stripe s is at (s + 1) × group_pitch + g + 1.
     */
    uint16_t significant[J2K_HT_GROUPS];
    uint16_t spread[J2K_HT_GROUPS];
    uint32_t vlc_bits, magsgn_bits; /* number of coded bits; behind them are others that may be read */
    const uint8_t *mel;             /* the next byte of MEL */
    const uint8_t *end;             /* the last byte that MEL has: the last but one of the segment */
    uint32_t width, height;
    uint32_t quad_columns, quad_rows, quad_pitch;
    uint32_t group_columns, stripes, group_pitch;
    uint32_t plane;   /* of the cleanup pass */
    uint32_t known;   /* number of passes from which the samples were decoded, including those in front of the set */
    uint32_t bits;    /* most bits of a magnitude above that plane, S_blk + 1 */
    int32_t fraction; /* as in struct j2k_coded_block */
};

/* Describes a cleanup segment, and the bytes of the refinement passes behind it. */
struct j2k_ht_set {
    const uint8_t *cleanup, *refinement;
    uint32_t cleanup_length, refinement_length;
    uint32_t passes; /* 1–3 */
    uint32_t plane;
};

/* ht_streams.c: remove the stuffing of VLC and MagSgn, and find MEL. Returns false if the lengths are impossible. */
bool kst_j2k_cpu_ht_open(struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set);
/* Remove the stuffing of both refinement passes. */
void kst_j2k_cpu_ht_open_refinement(struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set,
    struct j2k_ht_run *forward, struct j2k_ht_run *backward);

/* ht_quads.c: decode MEL and VLC. Returns false if VLC lacks bits. */
bool kst_j2k_cpu_ht_quads(struct j2k_ht_decoder *decoder);

/*
 * ht_samples.c and ht_deep.c: decode the cleanup pass to `sample` or to `deep`. Returns false if VLC or MagSgn lacks
 * bits, or a magnitude has too many.
 */
bool kst_j2k_cpu_ht_samples(struct j2k_ht_decoder *decoder, enum cpu_tier tier);
#if defined(__x86_64__)
bool kst_j2k_cpu_ht_cleanup_avx2(struct j2k_ht_decoder *decoder);
bool kst_j2k_cpu_ht_cleanup_avx512(struct j2k_ht_decoder *decoder);
#elif defined(__aarch64__)
bool kst_j2k_cpu_ht_cleanup_neon(struct j2k_ht_decoder *decoder);
#endif
bool kst_j2k_cpu_ht_deep(struct j2k_ht_decoder *decoder);

/* Decode the passes of significance propagation and, if the set has three passes, of magnitude refinement. */
void kst_j2k_cpu_ht_refine_samples(struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set, bool causal);
void kst_j2k_cpu_ht_refine_deep(struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set, bool causal);

#endif
