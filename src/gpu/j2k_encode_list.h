/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of code-blocks to be coded, as the kernels want them. */
#ifndef KOSTKA_GPU_J2K_ENCODE_LIST_H
#define KOSTKA_GPU_J2K_ENCODE_LIST_H

#include "gpu/j2k_encode.h"

/* Blocks that go through one set of launches. */
struct j2k_list {
    const struct j2k_batch *batch;
    const struct j2k_encode_item *items;
    const struct j2k_block_order *orders;
    struct j2k_entry *entry; /* sorted; `block` counts orders */
    struct work_bundle *bundle;
    uint32_t *place; /* of each sorted block, where its data begin */
    uint32_t blocks, bundles;
    uint32_t words;  /* of the list */
    uint64_t states; /* words */
    uint64_t data;   /* bytes */
    bool ample;      /* room for whatever blocks may hold */
};

/*
 * As many orders, from the first on, as go together; at least one. `chosen`: indices of orders. Arrays of the list are
 * its caller's, with room for all of them. Returns how many were taken.
 */
uint32_t kst_gpu_j2k_list(
    struct j2k_list *list, const uint32_t *chosen, uint32_t count, uint32_t units, struct j2k_entry *room);

/* Write it down, list->words words. */
void kst_gpu_j2k_list_write(const struct j2k_list *list, uint32_t *words);

/* Bytes of a block that there is room for. */
uint32_t kst_gpu_j2k_block_room(const struct j2k_plan *plan, const struct j2k_block *block, bool ample);

#endif
