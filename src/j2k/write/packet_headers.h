/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the headers of all packets of some tiles, many precincts at a time, before the packets are put in order. */
#ifndef KOSTKA_J2K_WRITE_PACKET_HEADERS_H
#define KOSTKA_J2K_WRITE_PACKET_HEADERS_H

#include "j2k/write/packet_writer.h"

/* Describes a packet whose header was written. */
struct j2k_packet_header {
    uint64_t body; /* bytes of code-blocks in the packet */
    size_t at;     /* where its header starts in its share's sink */
    uint32_t length;
};

struct j2k_packet_headers {
    struct j2k_packet_header *header; /* for each precinct, layer by layer */
    struct sink *share;               /* each share has the headers of `together` precincts */
    uint32_t first, count;            /* first precinct, and number of precincts */
    uint32_t layers, together, shares;
};

/*
 * Write all headers of the tiles, and commit to them; packets must not have been committed before. Several threads help
 * if there are many blocks. `headers` must be released in either case.
 */
kst_status kst_j2k_packet_headers_write(const struct operation *op, const struct j2k_coded *coded,
    struct j2k_packets *packets, struct j2k_tiles tiles, struct j2k_packet_headers *headers);
void kst_j2k_packet_headers_release(struct memory *memory, struct j2k_packet_headers *headers);

/* Return the packet of a precinct, an index into coded.precinct, and set *bytes to the packet's header. */
const struct j2k_packet_header *kst_j2k_packet_header_find(
    const struct j2k_packet_headers *headers, uint32_t precinct, uint32_t layer, const uint8_t **bytes);

#endif
