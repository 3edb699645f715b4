/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the packet headers of a coded image, precinct by precinct (T.800 B.10). write.h declares the functions that
 * measure packets.
 */
#ifndef KOSTKA_J2K_WRITE_PACKET_WRITER_H
#define KOSTKA_J2K_WRITE_PACKET_WRITER_H

#include "j2k/write/header_writer.h"
#include "j2k/write/write.h"

/*
 * Do the same as kst_j2k_packets_create() in two steps. kst_j2k_packets_fill() is called for each precinct once its
 * blocks are coded; several threads may call it for different precincts.
 */
kst_status kst_j2k_packets_open(
    const struct operation *op, const struct j2k_coded *coded, struct j2k_packets **packets);
void kst_j2k_packets_fill(struct j2k_packets *packets, uint32_t precinct);

/*
 * Append the header of a packet to the sink (null: only count), and commit to it. Returns the number of bytes of the
 * header without SOP and EPH, and sets *body to that of the code-blocks. Several threads may do so for different
 * precincts.
 */
uint64_t kst_j2k_packet_write(
    struct j2k_packets *packets, uint32_t precinct, uint32_t layer, struct sink *sink, uint64_t *body);

/* Return the number of bytes of a code-block in a layer; in the block's data, they begin at *start. */
uint32_t kst_j2k_block_share(const struct j2k_coded *coded, uint32_t block, uint32_t layer, uint32_t *start);

/* Return how many bytes the length of a packet takes in PLT, with seven bits in each (A.7.3). */
uint32_t kst_j2k_length_bytes(uint64_t length);

#endif
