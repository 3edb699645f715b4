/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates the bytes of a codestream from the counted bits of its code-blocks, while a step is searched: the
 * additional bytes of stuffing, ends of the three streams and packet headers are averages over photographs. All sums
 * are of integers, so that every device computes the same from the same counts.
 */
#include "core/report.h"
#include "j2k/run/encode.h"

enum {
    UNIT = 16,      /* parts of a bit in which an estimate is counted */
    STUFFED = 8192, /* bits for each stuffed bit */
    ENDS = 308,     /* the rest of Scup, and the padding of the streams' last bytes: 19.25 bits */
    INCLUDED = 35,  /* bits of a packet header, besides Lblock and the length: 2.2 */
    ABSENT = 7      /* bits of a packet header for a block without samples: 0.4 */
};

static uint32_t bit_length(uint64_t value)
{
    return value != 0 ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

/* Return approximately how much a block adds to a codestream, including its share of a packet header. */
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
