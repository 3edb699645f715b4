/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet headers of a coded image, one precinct's after another's (T.800 B.10). */
#ifndef KOSTKA_J2K_WRITE_PACKET_WRITER_H
#define KOSTKA_J2K_WRITE_PACKET_WRITER_H

#include "j2k/write/header_writer.h"
#include "j2k/write/write.h"

/* kst_j2k_packets_create() in two steps, of which the second can be taken for some tiles, once their blocks are coded.
 */
kst_status kst_j2k_packets_open(
    struct memory *memory, const struct j2k_coded *coded, struct j2k_packets **packets, kst_report *report);
void kst_j2k_packets_fill(struct j2k_packets *packets, struct j2k_tiles tiles);

/*
 * Append the header of a packet to the sink (null: count only) and commit to it. Returns the header's bytes, without
 * SOP and EPH, and in *body those of the code-blocks.
 */
uint64_t kst_j2k_packet_write(
    struct j2k_packets *packets, uint32_t precinct, uint32_t layer, struct sink *sink, uint64_t *body);

/* A code-block's bytes in a layer: from *start on, so many. */
uint32_t kst_j2k_block_share(const struct j2k_coded *coded, uint32_t block, uint32_t layer, uint32_t *start);

/* Bytes that a packet's length takes in PLT: seven bits each (A.7.3). */
uint32_t kst_j2k_length_bytes(uint64_t length);

#endif
