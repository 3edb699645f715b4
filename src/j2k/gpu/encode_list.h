/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes lists of code-blocks to be coded, in the form that the kernels use (j2k/kernels/encode_work.h). */
#ifndef KOSTKA_J2K_GPU_ENCODE_LIST_H
#define KOSTKA_J2K_GPU_ENCODE_LIST_H

#include "j2k/gpu/block_coder.h"
#include "j2k/gpu/encode.h"

/* Holds a list: blocks of one block coder that are coded by one set of launches. */
struct j2k_gpu_list {
    const struct j2k_gpu_block_coder *coder;
    const struct j2k_gpu_part *part;
    const struct j2k_gpu_encode_item *items;
    const struct j2k_gpu_block_order *orders;
    const uint32_t *chosen; /* the order of each block, as an index into `orders` */
    uint32_t *place;        /* for each block, where its data begin */
    uint32_t blocks;
    uint32_t lanes; /* blocks that are coded side by side in a row */
    /* Lanes of the first rows, whose blocks have the most decisions, and the number of these rows. */
    uint32_t front_lanes, front_rows;
    uint32_t rows;    /* number of all rows */
    uint32_t words;   /* words of the written list */
    uint64_t units;   /* units of decisions */
    uint64_t data;    /* bytes of the blocks' data */
    uint64_t samples; /* samples of the blocks */
    bool ample;       /* there is room for whatever the blocks may hold */
    bool unmeasured;  /* no block is measured */
    bool plain;       /* no more need be known of passes than results say: none is measured, and blocks have one each */
    bool shared;      /* the device has blocks of other jobs to code, too */
};

/*
 * Make a list of as many of the chosen orders, from the first on, as go together, which is at least one. Returns their
 * number. `processors`: those of the device. list->shared must be set if other jobs keep the device busy meanwhile.
 */
uint32_t kst_j2k_gpu_list(struct j2k_gpu_list *list, const uint32_t *chosen, uint32_t count, uint32_t processors);

/* Describes blocks one after the other, with what the last one's band has in common for all of its blocks. */
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

/* Describe a block, but for the room of its data. */
void kst_j2k_gpu_describe_coded(
    struct j2k_gpu_describing *describing, const struct j2k_gpu_block_order *order, struct j2k_work_coded_block *to);

/* Write the list, which has list->words words. `threads`: a pool that helps, or null. */
void kst_j2k_gpu_list_write(const struct j2k_gpu_list *list, struct pool *threads, uint32_t *words);

#endif
