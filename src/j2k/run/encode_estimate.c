/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates the bytes of a codestream from the bits that were counted of its code-blocks, while a step is sought: what
 * stuffing, the ends of the three streams and packet headers add is taken from what photographs show on average. All
 * sums are of integers, so that every device makes the same of the same counts.
 */
#include "core/report.h"
#include "j2k/run/encode.h"

enum {
    UNIT = 16,      /* an estimate is in so many parts of a bit */
    STUFFED = 8192, /* of so many bits one is stuffed */
    ENDS = 308,     /* the rest of Scup, and what fills the last bytes of the streams: 19.25 bits */
    INCLUDED = 35,  /* of a packet header, beside Lblock and the length: 2.2 bits */
    ABSENT = 7      /* of a packet header, for a block without samples: 0.4 bits */
};

static uint32_t bit_length(uint64_t value)
{
    return value != 0 ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

/* Return about what a block adds to a codestream, with its share of a packet header. */
static uint64_t block_estimate(uint32_t bits)
{
    const uint64_t segment = (uint64_t)bits * UNIT + (uint64_t)bits * UNIT / STUFFED + ENDS;
    return segment + INCLUDED + (uint64_t)2 * UNIT * bit_length(segment / (8 * UNIT));
}

uint64_t kst_j2k_run_encode_estimate(const struct j2k_encoder *encoder)
{
    const uint32_t *bits = encoder->encoded.counted;
    uint64_t sum = 0;
    for (uint32_t b = 0; b < encoder->coded.plan.block_count; b++)
        sum += bits[b] > 0 ? block_estimate(bits[b]) : ABSENT;
    return sum / (8 * UNIT);
}
