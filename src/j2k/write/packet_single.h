/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how headers are written where a picture has one layer, so that nothing of them need be remembered. */
#ifndef KOSTKA_J2K_WRITE_PACKET_SINGLE_H
#define KOSTKA_J2K_WRITE_PACKET_SINGLE_H

#include "j2k/packets/tag_tree.h"
#include "j2k/write/header_writer.h"
#include "j2k/write/write.h"

/* Holds a band of a precinct: its tag trees, each with an entry for each node. */
struct j2k_single_band {
    struct j2k_tag_shape shape; /* no levels: the band has no blocks */
    uint32_t first_block;
    uint32_t room;        /* most passes that share a segment, from the first one on */
    const uint8_t *value; /* the least number of missing bit-planes below each node */
    uint8_t *state;       /* to write on: which nodes have blocks that are included, and which values are told */
};

/*
 * Mark the nodes below which blocks are included. Returns 1 if there are any, 0 if there are none, and -1 if a block
 * has more than one segment, which is not for these functions.
 */
int32_t kst_j2k_single_mark(const struct j2k_coded *coded, const struct j2k_single_band *band);

/* Append what a packet header says of the band, which is marked. Returns the bytes of its blocks. */
uint64_t kst_j2k_single_put(
    const struct j2k_coded *coded, const struct j2k_single_band *band, struct j2k_header_writer *bits);

/* Append the number of coding passes, from 1 on (Table B.4). */
void kst_j2k_put_passes(struct j2k_header_writer *bits, uint32_t passes);

/* Set the nodes above the leaves, each to the least value of the nodes that it is made of. */
void kst_j2k_tag_least(const struct j2k_tag_shape *shape, uint32_t height, uint8_t *value);

static inline uint32_t j2k_bit_count(uint32_t value)
{
    return value ? 32 - (uint32_t)__builtin_clz(value) : 0;
}

#endif
