/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures to encode put together as the kernels want them. */
#ifndef KOSTKA_JPEG_GPU_ENCODE_BATCH_H
#define KOSTKA_JPEG_GPU_ENCODE_BATCH_H

#include "jpeg/gpu/encode.h"
#include "jpeg/kernels/encode_work.h"
#include "jpeg/plan/huffman.h"

/* What a batch needs. */
struct encode_size {
    uint32_t words;  /* of the work */
    uint64_t pixels; /* bytes of the pictures that are not read where they lie */
    uint64_t staged; /* and of those that go through staging memory: as many, or 0 */
    uint64_t blocks;
    uint32_t tiles;
    bool summed;      /* all pictures are */
    uint64_t streams; /* bytes, heads included, as long as no stream exceeds what is expected */
};

struct encode_size kst_gpu_encode_size(const struct jpeg_encode_item *items, uint32_t count);

/* Fill the work but for the Huffman codes. */
void kst_gpu_encode_work(const struct jpeg_encode_item *items, uint32_t count, uint32_t *work);

/*
 * Queue the copies of pictures to the buffer of pixels, as far as the kernels do not read them where they lie; by way
 * of `staging`, of the same length.
 */
void kst_gpu_encode_upload(struct gpu_queue *queue, const struct jpeg_encode_item *items, uint32_t count,
    uint32_t *work, const struct gpu_buffer *staging, const struct gpu_buffer *pixels);

/* Fill in the codes of destination 0 or 1. */
void kst_gpu_encode_codes(uint32_t *work, const struct encode_picture *picture, uint32_t destination,
    const struct jpeg_huffman *dc, const struct jpeg_huffman *ac);

/* Place the streams anew, each with room for what its head says it has. Returns the bytes of all. */
uint64_t kst_gpu_encode_room(uint32_t *work, uint32_t count, const uint32_t *length);

struct encode_picture *kst_gpu_encode_picture(uint32_t *work, uint32_t index);

#endif
