/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and writes tile-parts. Their lengths are known before they are written (T.800 A.4.2). */
#ifndef KOSTKA_J2K_WRITE_PART_WRITER_H
#define KOSTKA_J2K_WRITE_PART_WRITER_H

#include "j2k/write/sequence.h"

enum { J2K_SOT_BYTES = 12, J2K_SOD_BYTES = 2, J2K_SOP_BYTES = 6, J2K_EPH_BYTES = 2 };

/* Says where the header of a tile-part, SOT to SOD, is in `headers`: its position and its length; and holds Psot. */
struct j2k_part_frame {
    size_t at;
    uint32_t header, length;
};

/* Holds the tile-parts of some tiles. */
struct j2k_tile_parts {
    const struct j2k_coded *coded;
    const struct j2k_writing *wanted;
    struct j2k_sequence sequence;
    struct sink headers;          /* headers of all tile-parts, one after the other */
    struct j2k_part_frame *frame; /* for each of sequence.part */
    uint64_t bytes;               /* bytes of all tile-parts */
};

/*
 * Measure all packets of the tiles, commit to them, and make the headers of their tile-parts. `packets` must be open
 * (packet_writer.h). Fails as kst_j2k_write() does. `parts` must be released in either case.
 */
kst_status kst_j2k_tile_parts_make(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct j2k_tiles tiles, struct j2k_packets *packets,
    struct j2k_tile_parts *parts);
/* Make the header of a single tile-part whose packets have `bytes` bytes. `parts` must be released in either case. */
kst_status kst_j2k_tile_parts_around(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, uint64_t bytes, struct j2k_tile_parts *parts);
void kst_j2k_tile_parts_release(struct memory *memory, struct j2k_tile_parts *parts);

/*
 * Write all tile-parts in order, and settle the sink in between. With `bodies`, the bytes of code-blocks are left out,
 * and their places are appended to it.
 */
void kst_j2k_tile_parts_put(const struct j2k_tile_parts *parts, struct sink *sink, struct j2k_bodies *bodies);

/*
 * Return how many bytes of a packet are in the tile-part, which is also the number that PLT has: without the packet's
 * header if headers are packed (A.7.3).
 */
uint64_t kst_j2k_packet_bytes(
    const struct j2k_parameters *parameters, const struct j2k_sent_packet *packet, bool packed);

enum {
    J2K_LENGTHS_HEADER = 5,  /* bytes of marker, length and index of PLT */
    J2K_LENGTHS_ROOM = 65532 /* most bytes of lengths in one PLT */
};

#endif
