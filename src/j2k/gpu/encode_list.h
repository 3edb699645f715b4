/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes lists of code-blocks to be coded, in the form that the kernels use (j2k/kernels/encode_work.h). */
#ifndef KOSTKA_J2K_GPU_ENCODE_LIST_H
#define KOSTKA_J2K_GPU_ENCODE_LIST_H

#include "j2k/gpu/block_coder.h"
#include "j2k/gpu/encode.h"

/* Holds a list: code-blocks of one block coder, which one set of launches codes. */
struct j2k_gpu_list {
    const struct j2k_gpu_block_coder *coder;
    const struct j2k_gpu_part *part;
    const struct j2k_gpu_encode_item *items;
    const struct j2k_gpu_block_order *orders;
    const uint32_t *chosen; /* for each block of the list, the index of its order in `orders` */
    uint32_t *place;        /* for each block, where its data begin */
    uint32_t blocks;
    uint32_t lanes; /* blocks that are coded side by side in a row */
    /* Lanes of the first rows, whose blocks have the most decisions, and the number of these rows. */
    uint32_t front_lanes, front_rows;
    uint32_t rows;    /* number of all rows */
    uint32_t words;   /* words of the written list */
    uint64_t units;   /* units of room for decisions */
    uint64_t data;    /* bytes of the blocks' data */
    uint64_t samples; /* samples of the blocks */
    bool ample;       /* each block has room for any contents */
    bool unmeasured;  /* no block is measured */
    bool refined;     /* some T.814 blocks have refinement passes */
    bool plain;       /* results say all about passes: no block is measured, and each has one pass */
    bool shared;      /* the device also has blocks of other jobs to code */
};

/*
 * Make a list of the first of the chosen orders, as many as one list can hold, which is at least one. Returns how many
 * these are. `processors`: number of processors of the device. list->shared must have been set to whether other jobs
 * keep the device busy at the same time.
 */
uint32_t kst_j2k_gpu_list(struct j2k_gpu_list *list, const uint32_t *chosen, uint32_t count, uint32_t processors);

/* Describes blocks one after the other; keeps what all blocks of the last block's band have in common. */
struct j2k_gpu_describing {
    const struct j2k_gpu_part *part;
    const struct j2k_gpu_encode_item *items;
    uint32_t item, band; /* UINT32_MAX: none yet */
    struct j2k_rect rect;
    struct j2k_work_coded_block like;
};

static inline struct j2k_gpu_describing j2k_gpu_describing(
    const struct j2k_gpu_part *part, const struct j2k_gpu_encode_item *items)
{
    return (struct j2k_gpu_describing){.part = part, .items = items, .item = UINT32_MAX, .band = UINT32_MAX};
}

/* Describe a block, except for the room for its data. */
void kst_j2k_gpu_describe_coded(
    struct j2k_gpu_describing *describing, const struct j2k_gpu_block_order *order, struct j2k_work_coded_block *to);

/* Write the list, which has list->words words. `threads`: a pool that helps, or null. */
void kst_j2k_gpu_list_write(const struct j2k_gpu_list *list, struct pool *threads, uint32_t *words);

#endif
