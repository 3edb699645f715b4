/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the code-block coder of T.800, both ways, written as in Annexes C and D: one coefficient, one bit and one
 * flow chart at a time. It is slow, and meant for comparisons.
 */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_MODEL_H
#define KOSTKA_TESTS_SUPPORT_J2K_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "j2k/cpu/blocks/block.h"

enum { MODEL_BYTES = 1 << 17, MODEL_SEGMENTS = 240 };

/* Holds the registers of Figures C.3 and C.14 (Annex C). */
struct model_mq {
    uint32_t a, c;
    int32_t ct;
    uint8_t *bp;        /* byte B; an encoder begins at the byte in front of the data */
    const uint8_t *end; /* for a decoder, which reads ones behind it */
    uint8_t row[J2K_CONTEXTS], mps[J2K_CONTEXTS];
};

void model_mq_reset(struct model_mq *mq);
void model_mq_start_encoding(struct model_mq *mq, uint8_t *data); /* data[-1] is written to */
void model_mq_encode(struct model_mq *mq, uint32_t context, uint32_t bit);
uint8_t *model_mq_flush(struct model_mq *mq); /* both functions return the end of the data */
uint8_t *model_mq_flush_predictably(struct model_mq *mq);
void model_mq_start_decoding(struct model_mq *mq, const uint8_t *data, size_t length);
uint32_t model_mq_decode(struct model_mq *mq, uint32_t context);

struct model {
    uint32_t width, height, orientation, style, planes;
    bool encoding;
    uint64_t magnitude[J2K_BLOCK_SAMPLES];
    uint8_t negative[J2K_BLOCK_SAMPLES], significant[J2K_BLOCK_SAMPLES], visited[J2K_BLOCK_SAMPLES],
        refined[J2K_BLOCK_SAMPLES], plane[J2K_BLOCK_SAMPLES]; /* the lowest plane that a decoder has decoded */
    struct model_mq mq;
    uint32_t raw_byte, raw_bits, raw_last;
    uint8_t *raw_next;
    const uint8_t *raw_end;
    bool wrong_symbol;
    uint8_t room[MODEL_BYTES];
    struct j2k_codeword segment[MODEL_SEGMENTS];
    uint32_t segment_count;
};

/* Encode the first `passes` passes of magnitude and negative into segments. */
void model_encode(struct model *model, uint32_t passes);

/* Decode segments, whatever they contain. Afterwards magnitude, negative and plane hold the result. */
void model_decode(struct model *model, const struct j2k_codeword *segments, uint32_t count);

#endif
