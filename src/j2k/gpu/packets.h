/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the packets of pictures to the kernels that write them (kernels/packets.h). */
#ifndef KOSTKA_J2K_GPU_PACKETS_H
#define KOSTKA_J2K_GPU_PACKETS_H

#include "j2k/gpu/encode.h"

/*
 * Says where an item of a job is among the packets and the blocks of a list. The item itself may lose its packets while
 * the list is in use, because the host writes them from then on.
 */
struct j2k_gpu_packed_item {
    const struct j2k_packet_blocks *from;
    uint32_t packet, packets;
    uint32_t block, blocks; /* no blocks: the list has none of it */
};

struct j2k_gpu_packing {
    struct j2k_gpu_packed_item *item; /* for each item of the job */
    uint32_t items, packets;
    uint32_t words;  /* of what the list says of packets */
    uint64_t work;   /* words of the buffer of work */
    uint64_t found;  /* bytes of the results in front of that buffer */
    uint64_t placed; /* offsets in it, in words: see struct j2k_packets_work */
    uint64_t place, node, header;
};

/*
 * Lay out the packets of the items that a list of orders has. Returns false if kernels cannot write them, or on
 * failure, of which error->status tells. `packing` must be released in either case.
 */
bool kst_j2k_gpu_packing_make(struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    const struct j2k_gpu_block_order *orders, uint32_t count, struct gpu_error *error);
void kst_j2k_gpu_packing_release(struct j2k_gpu_packing *packing, struct memory *memory);

/* Says where results of blocks begin, how many words each has, and which of these is the length. */
struct j2k_gpu_result_form {
    uint32_t first, stride, length;
};

/* Write what the list says of packets, at a word of it: packing->words words. Bands have the planes of the plans. */
void kst_j2k_gpu_packing_write(const struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    struct j2k_gpu_result_form form, uint32_t *words, uint32_t at);

/* Queue the kernels that write packet headers and place packets. `head`: where the list speaks of packets. */
void kst_j2k_gpu_packing_launch(const struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    const struct gpu_buffer *list, const struct gpu_buffer *results, const struct gpu_buffer *work, uint32_t head);

/* Read what the kernels found: the bytes of each item's packets, or 0 if it has none or the host must see to it. */
void kst_j2k_gpu_packing_read(const struct j2k_gpu_packing *packing, const struct gpu_buffer *found, uint32_t *length);

#endif
