/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code-block coder of T.800, both ways, as Annexes C and D put it: one coefficient, one bit and one flow chart at a
 * time. Slow; there to compare with.
 */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_MODEL_H
#define KOSTKA_TESTS_SUPPORT_J2K_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "j2k/cpu/blocks/block.h"

enum { MODEL_BYTES = 1 << 17, MODEL_SEGMENTS = 240 };

/* Annex C: the registers of Figures C.3 and C.14. */
struct model_mq {
    uint32_t a, c;
    int32_t ct;
    uint8_t *bp;        /* byte B; of an encoder at first the one in front of the data */
    const uint8_t *end; /* of a decoder: ones follow */
    uint8_t row[J2K_CONTEXTS], mps[J2K_CONTEXTS];
};

void model_mq_reset(struct model_mq *mq);
void model_mq_start_encoding(struct model_mq *mq, uint8_t *data); /* data[-1] is written to */
void model_mq_encode(struct model_mq *mq, uint32_t context, uint32_t bit);
uint8_t *model_mq_flush(struct model_mq *mq); /* both return the data's end */
uint8_t *model_mq_flush_predictably(struct model_mq *mq);
void model_mq_start_decoding(struct model_mq *mq, const uint8_t *data, size_t length);
uint32_t model_mq_decode(struct model_mq *mq, uint32_t context);

struct model {
    uint32_t width, height, orientation, style, planes;
    bool encoding;
    uint64_t magnitude[J2K_BLOCK_SAMPLES];
    uint8_t negative[J2K_BLOCK_SAMPLES], significant[J2K_BLOCK_SAMPLES], visited[J2K_BLOCK_SAMPLES],
        refined[J2K_BLOCK_SAMPLES], plane[J2K_BLOCK_SAMPLES]; /* the lowest a decoder has seen of it */
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

/* Decode segments; magnitude, negative and plane afterwards hold what was found, whatever the segments contain. */
void model_decode(struct model *model, const struct j2k_codeword *segments, uint32_t count);

#endif
