/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how packet headers of pictures with one layer are written, for which no state has to be kept. */
#ifndef KOSTKA_J2K_WRITE_PACKET_SINGLE_H
#define KOSTKA_J2K_WRITE_PACKET_SINGLE_H

#include "j2k/packets/tag_tree.h"
#include "j2k/write/header_writer.h"
#include "j2k/write/write.h"

/* Holds a band of a precinct: its tag trees, each with an entry for each node. */
struct j2k_single_band {
    struct j2k_tag_shape shape; /* no levels: the band has no blocks */
    uint32_t first_block;
    uint32_t room;        /* most passes that share the first segment */
    const uint8_t *value; /* for each node, the least number of missing bit-planes below it */
    uint8_t *state;       /* scratch: which nodes have included blocks, and which values have been written */
};

/*
 * Mark the nodes below which blocks are included. Returns 1 if there are any, 0 if there are none, and -1 if a block
 * has more than one segment, for which these functions cannot be used.
 */
int32_t kst_j2k_single_mark(const struct j2k_coded *coded, const struct j2k_single_band *band);

/*
 * Append a band's part of a packet header; the band must have been marked. Returns the number of bytes of its blocks.
 */
uint64_t kst_j2k_single_put(
    const struct j2k_coded *coded, const struct j2k_single_band *band, struct j2k_header_writer *bits);

/* Append the number of coding passes, from 1 on (Table B.4). */
void kst_j2k_put_passes(struct j2k_header_writer *bits, uint32_t passes);

/* Set each node above the leaves to the least value of its child nodes. */
void kst_j2k_tag_least(const struct j2k_tag_shape *shape, uint32_t height, uint8_t *value);

static inline uint32_t j2k_bit_count(uint32_t value)
{
    return value ? 32 - (uint32_t)__builtin_clz(value) : 0;
}

#endif
