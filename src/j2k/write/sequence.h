/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the packets of a coded image in the order in which they are written, divided into tile-parts. */
#ifndef KOSTKA_J2K_WRITE_SEQUENCE_H
#define KOSTKA_J2K_WRITE_SEQUENCE_H

#include "j2k/write/write.h"

enum { J2K_PARTS_MAX = 255 }; /* most tile-parts of a tile (A.4.2) */

struct j2k_sent_packet {
    uint64_t body;          /* bytes of code-blocks in the packet */
    uint64_t header;        /* where its header starts in sequence.headers */
    uint32_t header_length; /* bytes of the header, without SOP and EPH */
    uint32_t precinct;      /* index into coded.precinct */
    uint16_t layer;
};

struct j2k_sent_part {
    uint32_t tile;
    uint32_t first_packet, packet_count;
    uint8_t index, count; /* TPsot and TNsot */
};

struct j2k_sequence {
    struct j2k_sent_packet *packet; /* tile by tile, in the order of each tile's progressions */
    struct j2k_sent_part *part;     /* in the order of the codestream */
    uint32_t *tile_packet;          /* for each tile, the index of its first packet */
    struct j2k_tiles tiles;
    uint32_t packet_count, part_count;
    struct sink headers; /* headers of all packets, one after the other */
};

/*
 * Make the sequence of some tiles, or of all if `tiles` is null. With `packets`, all layers are committed to, and the
 * headers and lengths of packets are set, too. Fails with KST_ERROR_J2K_PROGRESSION if POC is not allowed or leaves
 * packets out, and with KST_ERROR_OPTIONS if a tile would have too many tile-parts. `sequence` must be released in
 * either case.
 */
kst_status kst_j2k_sequence_make(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, const struct j2k_tiles *tiles, struct j2k_packets *packets,
    struct j2k_sequence *sequence);
void kst_j2k_sequence_release(struct memory *memory, struct j2k_sequence *sequence);

#endif
