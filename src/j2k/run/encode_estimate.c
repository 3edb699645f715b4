/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates the bytes of a codestream from the counted bits of its code-blocks, while a step is searched: the
 * additional bytes of stuffing, ends of the three streams and packet headers are averages over photographs. All sums
 * are of integers, so that every device computes the same from the same counts.
 */
#include "core/report.h"
#include "j2k/run/encode.h"
#include "j2k/write/packet_writer.h"

enum {
    UNIT = 16,      /* parts of a bit in which an estimate is counted */
    STUFFED = 8192, /* bits for each stuffed bit */
    ENDS = 308,     /* the rest of Scup, and the padding of the streams' last bytes: 19.25 bits */
    INCLUDED = 35,  /* bits of a packet header, besides Lblock and the length: 2.2 */
    ABSENT = 7,     /* bits of a packet header for a block without samples: 0.4 */
    BEGUN = 56      /* 3.5 bits: a header has 1 bit and 3.5 of padding, and the 8 of an empty packet are in the frame */
};

static uint32_t bit_length(uint64_t value)
{
    return value != 0 ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

/* Return approximately the bits of a block's segment, of Lblock, and of the segment's length in the packet header. */
static uint64_t segment_estimate(uint32_t bits)
{
    const uint64_t segment = (uint64_t)bits * UNIT + (uint64_t)bits * UNIT / STUFFED + ENDS;
    return segment + (uint64_t)2 * UNIT * bit_length(segment / (8 * UNIT));
}

/* Return approximately how much the blocks of a resolution add, many of which share packets. */
static uint64_t shared_estimate(const uint32_t *bits, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < count; b++)
        sum += bits[b] > 0 ? segment_estimate(bits[b]) + INCLUDED : ABSENT;
    return sum;
}

/*
 * Return approximately how much the only block of a band adds. The packet header has one bit if it is absent. Otherwise
 * it has that bit, the missing planes, which are all but the lowest one, in as many bits as the band has planes, one
 * bit for the only pass, and Lblock and the length, which together have two bits less than segment_estimate() counts.
 * These bits matter most for volumes: a packet of theirs has one to three code-blocks, so that no tag tree shares them.
 */
static uint64_t only_estimate(const struct j2k_band *band, uint32_t bits)
{
    return bits > 0 ? segment_estimate(bits) + (uint64_t)UNIT * band->planes : UNIT;
}

static bool has_single_blocks(const struct j2k_band *band, uint32_t count)
{
    for (uint32_t b = 0; b < count; b++)
        if (band[b].block_count > 1)
            return false;
    return true;
}

/* Return approximately how much a resolution adds that has one packet, and whose bands have a block each, or none. */
static uint64_t packet_estimate(const struct j2k_band *band, uint32_t count, const uint32_t *bits, bool has_lengths)
{
    uint64_t sum = 0;
    bool any = false;
    for (uint32_t b = 0; b < count; b++) {
        if (band[b].block_count == 0)
            continue;
        const uint32_t of_block = bits[band[b].first_block];
        sum += only_estimate(&band[b], of_block);
        any = any || of_block > 0;
    }
    if (!any)
        return 0;
    const uint32_t more = has_lengths ? kst_j2k_length_bytes(sum / (8 * UNIT)) - 1 : 0; /* than an empty packet's */
    return sum - BEGUN + (uint64_t)8 * UNIT * more;
}

static uint64_t resolution_estimate(
    const struct j2k_plan *plan, const struct j2k_resolution *resolution, const uint32_t *bits, bool has_lengths)
{
    const struct j2k_band *band = &plan->band[resolution->first_band];
    uint64_t sum = 0;
    if (has_single_blocks(band, resolution->band_count))
        return packet_estimate(band, resolution->band_count, bits, has_lengths);
    for (uint32_t b = 0; b < resolution->band_count; b++)
        sum += shared_estimate(&bits[band[b].first_block], band[b].block_count);
    return sum;
}

uint64_t kst_j2k_run_encode_estimate(const struct j2k_encoder *encoder)
{
    const struct j2k_plan *plan = &encoder->coded.plan;
    uint64_t sum = 0;
    for (uint32_t r = 0; r < plan->resolution_count; r++)
        sum +=
            resolution_estimate(plan, &plan->resolution[r], encoder->encoded.counted, encoder->writing.packet_lengths);
    return sum / (8 * UNIT);
}
