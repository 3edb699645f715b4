/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the CPU's threads ask of a block coder: a table of functions that code one code-block. Tile decoding,
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
    J2K_BLOCK_HT = 16 /* lengths or bits of T.814 that cannot be; all samples are 0 then */
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
    uint32_t missing;     /* number of bit-planes above the first pass's; EBCOT takes them to be zero */
    uint32_t planes;      /* number of bit-planes from the first pass's on */
    uint32_t roi_shift;   /* shift of Annex H: planes from it on are those of the region of interest, moved up by it */
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
    uint32_t refinements; /* HT: refinement passes behind it, 0–2; plane 0 has none */
    /* HT: samples are rounded for fewer bits, each of which is worth so many squared steps; 0: they are not. */
    double worth;
    uint32_t planes; /* HT: of the largest magnitude; 0: not known */
    uint32_t most;   /* EBCOT: no more passes are coded than that; 0: all are */
    bool exact;      /* reversible transform: no error is left once all planes are known */
    bool measure;    /* compute gains */
    bool sum;        /* also compute what the planes that are left out would have gained; needs `measure` */
    /*
     * Planes that seem to gain less per byte are left out, if they are below all planes that do not; 0: none is. Needs
     * `measure`.
     */
    double stop;
};

/* Describes a coded block. Its arrays lie in the coder's scratch memory and stay until the next block. */
struct j2k_block_outcome {
    uint32_t planes; /* bit-planes of the largest magnitude */
    uint32_t top;    /* bit-planes from that of the first pass on */
    uint32_t passes; /* fewer than the planes have because of `stop`; 0 if all samples are 0 */
    const struct j2k_pass *pass;
    const uint8_t *data; /* bytes of the segments, one after the other */
    uint32_t length;
    double left; /* gain of the planes left out, in the unit of pass.gain */
};

/*
 * The scratch memory of a thread begins with the samples of one block: what is encoded, and what was decoded, row by
 * row, `width` apart. What else a coder needs lies behind them and needs no initialisation.
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
     * Holds more than the largest magnitude of each group of 16 columns and 2 rows, as the upper half of such a number:
     * groups of which nothing is left are not read. Set, unless it is `known` already. Null: it is not kept.
     */
    uint16_t *bound;
    bool known; /* and the largest magnitude, too */
    /* The block of the same width, and no lower, that is counted next: its first coefficient, and its groups. */
    const float *next; /* null: there is none */
    size_t next_pitch;
    const uint16_t *next_bound; /* null: not known */
    uint16_t next_least;        /* of the groups that will be read */
};

enum { J2K_HT_GROUP_COLUMNS = 16, J2K_HT_GROUP_ROWS = 2 };

/*
 * Return the least bound of a group of which something may be left; magnitudes below smaller ones are below the step.
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
     * A segment of n passes has no effect on what is decoded behind its first n × pass_bytes + bytes_ahead bytes, and
     * these are all that `decode` needs.
     */
    uint32_t pass_bytes, bytes_ahead;
    /*
     * Decode a block to samples: the sign in bit 31, below it the magnitude as struct j2k_block_decoder explains it.
     * Returns the problems that were met.
     */
    uint32_t (*decode)(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_coded_block *block);
    /* Return how many passes, from the first on, the samples of the block decoded last were made of. */
    uint32_t (*known)(const struct j2k_block_scratch *scratch);
    /* Encode the samples, which have the sign in bit 31 of a magnitude. */
    void (*encode)(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_block_settings *settings,
        struct j2k_block_outcome *outcome);
    /*
     * HT: count the bits that a cleanup pass of all planes of the samples would have without stuffing and without
     * Scup; 0: it would have no samples. Every device counts the same. Null: the coder cannot count.
     */
    uint32_t (*count)(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_block_settings *settings);
    /*
     * HT: count them from real coefficients, and find the largest magnitude of these. Returns false where the tier
     * cannot, or a quotient by the step is too large; `*bits` is not set then.
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
