/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the CPU's threads need of a block coder: a table of functions that code one code-block. Tile decoding,
 * tile encoding, transcoding to a rate and blocks decoded for a GPU call nothing else of a coder.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_BLOCK_CODER_H
#define KOSTKA_J2K_CPU_BLOCKS_BLOCK_CODER_H

#include <string.h>

#include "core/cpu.h"
#include "j2k/plan/block_coder.h"
#include "j2k/plan/plan.h"
#include "j2k/rate/measure.h"

/* Problems met while decoding, as a bit mask. */
enum {
    J2K_BLOCK_SEGMENTATION = 1, /* a segmentation symbol was not 1010 */
    J2K_BLOCK_TERMINATION = 2,  /* a segment did not end as predictable termination requires */
    /* More passes than the bit-planes have, or a segment with both raw and MQ-coded passes. */
    J2K_BLOCK_PASSES = 4,
    /* More planes, inside or outside the region of interest, than 31 bits can hold together with the fraction. */
    J2K_BLOCK_DEPTH = 8,
    J2K_BLOCK_HT = 16 /* impossible lengths or bits of T.814; all samples are 0 then */
};

/* Holds coding passes that share one codeword. */
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
    uint32_t missing;     /* number of bit-planes above the first pass's; for EBCOT they are zero */
    uint32_t planes;      /* number of bit-planes from the first pass's on */
    /* shift of Annex H: planes from this one up are those of the region of interest, which is moved up by it */
    uint32_t roi_shift;
    /* Number of bits to keep below the lowest plane; if negative, the number of lowest planes to leave out. */
    int32_t fraction;
    uint32_t codeword_count;
    const struct j2k_codeword *codewords;
};

struct j2k_block_settings {
    uint32_t width, height;
    uint32_t orientation; /* enum j2k_orientation */
    uint32_t style;       /* enum j2k_style */
    uint32_t plane;       /* HT: the plane of the cleanup pass, at most J2K_CODED_PLANES − 1 */
    uint32_t refinements; /* HT: number of refinement passes behind it, 0–2; plane 0 has none */
    /*
     * HT: samples are rounded so that they take fewer bits. Each saved bit is worth this many squared steps; 0: samples
     * are not rounded.
     */
    double worth;
    uint32_t *coded; /* HT: receives the samples as they are coded, with all planes; null: nobody wants them */
    uint32_t planes; /* of the largest magnitude; 0: not known */
    uint32_t most;   /* EBCOT: most passes that are coded; 0: all */
    bool exact;      /* reversible transform: no error is left once all planes are known */
    bool measure;    /* compute gains */
    bool sum;        /* also compute what the planes that are left out would have gained; needs `measure` */
    /*
     * Planes are left out that are below all planes that seem to gain at least this much per byte, and without `sum`
     * the last passes of the lowest plane that is left; 0: none are left out. Needs `measure`.
     */
    double stop;
};

/* Describes a coded block. Its arrays lie in the coder's scratch memory and stay until the next block. */
struct j2k_block_outcome {
    uint32_t planes; /* bit-planes of the largest magnitude */
    uint32_t top;    /* bit-planes from the first pass's plane down */
    uint32_t passes; /* fewer than the planes have because of `stop`; 0 if all samples are 0 */
    const struct j2k_pass *pass;
    const uint8_t *data; /* bytes of the segments, one after the other */
    uint32_t length;
    double left; /* gain of the planes left out, in the unit of pass.gain */
};

/*
 * Begins the scratch memory of a thread with the samples of one block, row by row, `width` apart: samples to be
 * encoded, or those that were decoded. Whatever else a coder needs lies behind them and needs no initialisation.
 */
struct j2k_block_scratch {
    uint32_t sample[J2K_BLOCK_SAMPLES];
};

/* Describes the coefficients of a block in the rows of its band. */
struct j2k_ht_reals {
    const float *first;
    size_t pitch; /* of rows, in coefficients */
    uint32_t width, height;
    float factor; /* 1 ÷ step */
    /*
     * A bound above the magnitudes of each group of 16 columns and 2 rows: the upper half of a float. Groups whose
     * indices are all 0 need not be read then. Filled in unless the bounds are `known`. Null: bounds are not kept.
     */
    uint16_t *bound;
    bool known; /* the bounds and the largest magnitude are known */
    /*
     * The block that is counted next, if it has the same width and no smaller height: its first coefficient, and its
     * groups.
     */
    const float *next; /* null: there is none */
    size_t next_pitch;
    const uint16_t *next_bound; /* null: not known */
    uint16_t next_least;        /* least bound of the groups that will be read */
};

enum { J2K_HT_GROUP_COLUMNS = 16, J2K_HT_GROUP_ROWS = 2 };

/*
 * Return the least bound of a group that may have indices other than 0; below smaller bounds all magnitudes are below
 * the step.
 */
static inline uint16_t j2k_ht_least_bound(float factor)
{
    const float step = 1 / factor;
    uint32_t bits;
    memcpy(&bits, &step, sizeof bits);
    return (uint16_t)(bits >> 16);
}

struct j2k_block_functions {
    size_t decoder_length, encoder_length; /* bytes of scratch memory */
    /*
     * `decode` reads at most the first n × pass_bytes + bytes_ahead bytes of a segment of n passes. Later bytes of the
     * segment have no effect.
     */
    uint32_t pass_bytes, bytes_ahead;
    /*
     * Decode a block to samples: the sign in bit 31, below it the magnitude as struct j2k_block_decoder explains it.
     * Returns the problems that were met.
     */
    uint32_t (*decode)(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_coded_block *block);
    /* Return from how many passes, from the first on, the samples of the last block were decoded. */
    uint32_t (*known)(const struct j2k_block_scratch *scratch);
    /* Encode the samples, which have the sign in bit 31 of a magnitude. */
    void (*encode)(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_block_settings *settings,
        struct j2k_block_outcome *outcome);
    /*
     * HT: count the bits that a cleanup pass of all planes of the samples would have without stuffing and without Scup;
     * 0 if all samples are 0. Every device counts the same. Null: the coder cannot count.
     */
    uint32_t (*count)(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_block_settings *settings);
    /*
     * HT: count the same bits from real coefficients, and find their largest magnitude. Returns false, without setting
     * `*bits`, if the tier cannot do that or a quotient by the step is too large.
     */
    bool (*count_reals)(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_ht_reals *reals,
        float *largest, uint32_t *bits);
    /*
     * Compute what each plane gains, from the lowest one up, without coding. Returns the number of planes, up to
     * J2K_CODED_PLANES.
     */
    uint32_t (*measure)(struct j2k_block_scratch *scratch, enum cpu_tier tier,
        const struct j2k_block_settings *settings, struct j2k_gains *gains);
};

/* Return a coder's functions. */
const struct j2k_block_functions *kst_j2k_cpu_block_functions(enum j2k_block_coder_kind kind);

/* Return the bytes of scratch memory that suffice for decoding every code-block of a plan, and for every coder. */
size_t kst_j2k_cpu_decoder_length(const struct j2k_plan *plan);
size_t kst_j2k_cpu_any_decoder_length(void);
size_t kst_j2k_cpu_encoder_length(void);

/* The coders, each in a file of its own. */
extern const struct j2k_block_functions kst_j2k_cpu_ebcot;
extern const struct j2k_block_functions kst_j2k_cpu_ht;

#endif
