/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the builder of a part's work, which is put together picture by picture. Shared by part.c, part_scan.c and
 * part_output.c.
 */
#ifndef KOSTKA_JPEG_GPU_BUILDER_H
#define KOSTKA_JPEG_GPU_BUILDER_H

#include "jpeg/gpu/part.h"

enum { BUILDER_SETS = 8 };

/* Says how far a part is filled. */
struct jpeg_gpu_builder {
    uint32_t *work;
    uint64_t decoded; /* number of blocks in front of those that are copied */
    uint32_t words;
    struct jpeg_gpu_size used;
    struct memory *memory; /* memory for the tables that are kept */
    struct jpeg_gpu_tables *kept;
    /* The sets of tables placed last, each with a picture that has them; `sets` counts all, modulo 2^32. */
    struct jpeg_gpu_table_use use[BUILDER_SETS];
    const struct jpeg_work_picture *like[BUILDER_SETS]; /* null: none yet */
    uint32_t sets;
};

static inline void jpeg_gpu_builder_begin(struct jpeg_gpu_builder *builder, uint32_t *work,
    const struct jpeg_gpu_size *size, struct memory *memory, struct jpeg_gpu_tables *kept)
{
    builder->work = work;
    builder->decoded = size->blocks;
    builder->words = builder->sets = 0;
    builder->used = (struct jpeg_gpu_size){.stream = size->before_stream};
    builder->memory = memory;
    builder->kept = kept;
    for (uint32_t i = 0; i < BUILDER_SETS; i++)
        builder->like[i] = NULL;
}

static inline uint32_t jpeg_gpu_divide_up(uint64_t a, uint32_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/* Return the base-2 logarithm of the bytes of a picture's chunks. */
static inline uint32_t jpeg_gpu_chunk_bits(const struct jpeg_gpu_item *item)
{
    return WORK_CHUNK_BITS - item->shorter;
}

/*
 * Return one of the scans of a picture that the device decodes: number `index`, below kst_jpeg_gpu_scan_count(). It is
 * a scan of the plan, whose `fill` another thread may be setting, or one that is made in `room`.
 */
const struct jpeg_scan *kst_jpeg_gpu_scan(const struct jpeg_plan *plan, uint32_t index, struct jpeg_scan *room);

/*
 * Add the size of a picture's scans to that of a part, and write one of its scans; `first` is the picture of the work
 * that has its first scan.
 */
void kst_jpeg_gpu_scan_size(const struct jpeg_gpu_item *item, struct jpeg_gpu_size *size);
void kst_jpeg_gpu_scan_write(struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *item, uint32_t index,
    const struct jpeg_work_picture *first, struct jpeg_work_picture *picture);

/*
 * Do the same for the pixels of a picture, which follow all scans. `others` are the pictures of the work that have the
 * scans behind its first one.
 */
void kst_jpeg_gpu_output_size(const struct jpeg_gpu_item *item, struct jpeg_gpu_size *size);
void kst_jpeg_gpu_output_write(struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *item,
    const struct jpeg_work_picture *others, struct jpeg_work_picture *picture);

#endif
