/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the packets of pictures to the kernels that write them (kernels/packets.h). */
#ifndef KOSTKA_J2K_GPU_PACKETS_H
#define KOSTKA_J2K_GPU_PACKETS_H

#include "j2k/gpu/encode.h"

/*
 * Says where an item of a job is among the packets and the blocks of a list. The host may take over the packets of an
 * item while the list is in use; then the item itself no longer has them.
 */
struct j2k_gpu_packed_item {
    const struct j2k_packet_blocks *from;
    uint32_t packet, packets;
    uint32_t block, blocks; /* no blocks: the list has none of this item */
};

struct j2k_gpu_packing {
    struct j2k_gpu_packed_item *item; /* for each item of the job */
    uint32_t items, packets;
    uint32_t words;  /* words of the list's description of packets */
    uint64_t work;   /* words of the buffer of work */
    uint64_t found;  /* bytes of the results, which precede that buffer's other contents */
    uint64_t placed; /* offsets in the buffer of work, in words: see struct j2k_packets_work */
    uint64_t place, node, header;
};

/*
 * Lay out the packets of the items whose blocks a list of orders contains. Returns false if the kernels cannot write
 * them, and on failure, with error->status set. `packing` must be released in either case.
 */
bool kst_j2k_gpu_packing_make(struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    const struct j2k_gpu_block_order *orders, uint32_t count, struct gpu_error *error);
void kst_j2k_gpu_packing_release(struct j2k_gpu_packing *packing, struct memory *memory);

/* Says where results of blocks begin, how many words each has, and which of these is the length. */
struct j2k_gpu_result_form {
    uint32_t first, stride, length;
};

/*
 * Write the description of packets, which takes packing->words words, from word `at` of the list on. The bands have the
 * numbers of bit-planes that the plans say.
 */
void kst_j2k_gpu_packing_write(const struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    struct j2k_gpu_result_form form, uint32_t *words, uint32_t at);

/*
 * Queue the kernels that write packet headers and place packets. `head`: where the list's description of packets
 * begins.
 */
void kst_j2k_gpu_packing_launch(const struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    const struct gpu_buffer *list, const struct gpu_buffer *results, const struct gpu_buffer *work, uint32_t head);

/*
 * Read the lengths that the kernels found: for each item the bytes of its packets; 0 if it has none here, or if the
 * host must write them.
 */
void kst_j2k_gpu_packing_read(const struct j2k_gpu_packing *packing, const struct gpu_buffer *found, uint32_t *length);

#endif
