/* SPDX-License-Identifier: BSD-2-Clause */
/* The work of a batch while it is put together, a picture at a time. */
#ifndef KOSTKA_JPEG_GPU_BUILDER_H
#define KOSTKA_JPEG_GPU_BUILDER_H

#include "jpeg/gpu/batch.h"

/* Where a batch is filled up to. */
struct builder {
    uint32_t *work;
    uint64_t decoded; /* blocks before those that are copied */
    uint32_t words;
    struct jpeg_gpu_size used;
    struct memory *memory; /* for the tables that are kept */
    struct jpeg_gpu_tables *kept;
    struct jpeg_gpu_table_key key;   /* of the tables written last; */
    const struct work_picture *like; /* the picture that has them; null: none yet */
};

static inline uint32_t kst_divide_up(uint64_t a, uint32_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/*
 * A scan of a picture that is decoded on the device, of kst_gpu_scan_count(): the plan's, whose `fill` another thread
 * may be finding, or one that is made in `room`.
 */
const struct jpeg_scan *kst_gpu_scan(const struct jpeg_plan *plan, uint32_t index, struct jpeg_scan *room);

/* What a picture's scans add to a batch, and the writing of one into it; `first`: what the picture's first one has. */
void kst_gpu_scan_size(const struct jpeg_plan *plan, struct jpeg_gpu_size *size);
void kst_gpu_scan_write(struct builder *builder, const struct jpeg_gpu_item *item, uint32_t index,
    const struct work_picture *first, struct work_picture *picture);

/* Likewise of its pixels, which follow all scans; `others`: what the scans behind its first one have. */
void kst_gpu_output_size(const struct jpeg_gpu_item *item, struct jpeg_gpu_size *size);
void kst_gpu_output_write(struct builder *builder, const struct jpeg_gpu_item *item, const struct work_picture *others,
    struct work_picture *picture);

#endif
