/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of code-blocks to be coded, as the kernels want them. */
#ifndef KOSTKA_J2K_GPU_ENCODE_LIST_H
#define KOSTKA_J2K_GPU_ENCODE_LIST_H

#include "j2k/gpu/encode.h"

/* Blocks that go through one set of launches. */
struct j2k_list {
    const struct j2k_batch *batch;
    const struct j2k_encode_item *items;
    const struct j2k_block_order *orders;
    const uint32_t *chosen; /* of them, one a block */
    uint32_t *place;        /* of each block, where its data begin */
    uint32_t blocks;
    uint32_t lanes;                   /* of them that are coded side by side, in a row; */
    uint32_t front_lanes, front_rows; /* of those with the most decisions, and how many rows are so */
    uint32_t rows;                    /* of all */
    uint32_t words;                   /* of the list */
    uint64_t units;                   /* of decisions */
    uint64_t data;                    /* bytes */
    uint64_t samples;                 /* of the blocks */
    bool ample;                       /* room for whatever blocks may hold */
    bool shared;                      /* the device has other blocks to code, too */
};

/* As many of the chosen orders, from the first on, as go together; at least one. Returns how many. `processors`: of the
 * device. list->shared: others keep it busy meanwhile. */
uint32_t kst_gpu_j2k_list(struct j2k_list *list, const uint32_t *chosen, uint32_t count, uint32_t processors);

/* Write it down, list->words words. `threads`: null, or those that help. */
void kst_gpu_j2k_list_write(const struct j2k_list *list, struct pool *threads, uint32_t *words);

/* Bytes of a block that there is room for, and units of its decisions. */
uint32_t kst_gpu_j2k_block_room(const struct j2k_plan *plan, const struct j2k_block *block, bool ample);
uint32_t kst_gpu_j2k_decision_room(const struct j2k_plan *plan, const struct j2k_block *block, bool ample);

#endif
