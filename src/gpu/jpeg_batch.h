/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of pictures put together as the kernels want them. */
#ifndef KOSTKA_GPU_JPEG_BATCH_H
#define KOSTKA_GPU_JPEG_BATCH_H

#include "jpeg/output.h"
#include "jpeg/plan.h"
#include "kernels/jpeg_work.h"

/* A picture to decode. */
struct jpeg_gpu_item {
    const struct jpeg_plan *plan;
    struct jpeg_output output;
};

/* What a batch needs, in units of the buffers' elements. */
struct jpeg_gpu_size {
    uint64_t words;  /* of the work: 32 bits */
    uint64_t stream; /* 16 bytes */
    uint64_t blocks; /* of 64 coefficients */
    uint64_t planes; /* 8 samples */
    uint64_t pixels; /* 16 bytes */
    uint64_t groups[WORK_KINDS];
};

/* Whether the kernels can decode it. */
bool kst_gpu_jpeg_supports(const struct jpeg_gpu_item *item);

struct jpeg_gpu_size kst_gpu_jpeg_size(const struct jpeg_gpu_item *items, uint32_t count);

/* Fill the work, `size->words` words, and the streams, size->stream × 16 bytes. */
void kst_gpu_jpeg_work(const struct jpeg_gpu_item *items, uint32_t count, const struct jpeg_gpu_size *size,
    uint32_t *work, uint8_t *streams);

/* Copy a picture from what the buffer of pixels holds, or for raw output that of planes, to its image. */
void kst_gpu_jpeg_fetch(
    const struct jpeg_gpu_item *item, const struct work_picture *picture, const uint8_t *pixels, const uint8_t *planes);

/* The picture of the work at `index`. */
const struct work_picture *kst_gpu_jpeg_picture(const uint32_t *work, uint32_t index);

#endif
