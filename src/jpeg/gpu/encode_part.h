/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds the work of a part: the pictures to encode, put together in the form that the kernels read
 * (jpeg/kernels/encode_work.h).
 */
#ifndef KOSTKA_JPEG_GPU_ENCODE_PART_H
#define KOSTKA_JPEG_GPU_ENCODE_PART_H

#include "jpeg/gpu/encode.h"
#include "jpeg/kernels/encode_work.h"
#include "jpeg/plan/huffman.h"

/* Holds the sizes of the work and of the buffers that a part needs. */
struct jpeg_gpu_encode_size {
    uint32_t words; /* words of the work */
    /* Bytes of pixels that are copied to the device, because the kernels do not read them where they lie. */
    uint64_t pixels;
    uint64_t staged; /* bytes of staging memory: as many as `pixels`, or 0 if no picture is staged */
    uint64_t blocks;
    uint32_t tiles;
    bool summed;      /* jpeg_encode_picture.summed is set for all pictures */
    uint64_t streams; /* bytes of the streams and their heads, enough unless a stream exceeds what is expected */
};

struct jpeg_gpu_encode_size kst_jpeg_gpu_encode_size(const struct jpeg_gpu_encode_item *items, uint32_t count);

/*
 * Fill the work, except the Huffman codes. Returns how many of the words are in use: pictures with equal tables share
 * them. The codes of a picture that does not share an earlier one's lie at a higher offset than those of all pictures
 * before it. Threads help; null: none do.
 */
uint32_t kst_jpeg_gpu_encode_work(
    const struct jpeg_gpu_encode_item *items, uint32_t count, struct pool *threads, uint32_t *work);

/*
 * Queue the copies of the pictures to the buffer of pixels, unless the kernels read them where they lie. Staged
 * pictures go through `staging`, which is as long as that buffer.
 */
void kst_jpeg_gpu_encode_upload(struct gpu_queue *queue, const struct jpeg_gpu_encode_item *items, uint32_t count,
    uint32_t *work, const struct gpu_buffer *staging, const struct gpu_buffer *pixels);

/* Fill in the Huffman codes of destination 0 or 1. */
void kst_jpeg_gpu_encode_codes(uint32_t *work, const struct jpeg_encode_picture *picture, uint32_t destination,
    const struct jpeg_huffman *dc, const struct jpeg_huffman *ac);

/*
 * Compute the places of gathered streams in their buffer, in bytes, from their lengths. Returns the bytes in use, with
 * the list of lengths.
 */
uint64_t kst_jpeg_gpu_encode_places(const uint32_t *length, uint32_t count, uint64_t *place);

/*
 * Make room for streams of known lengths, and assign them new places if they are not gathered. Returns the bytes of all
 * of them.
 */
uint64_t kst_jpeg_gpu_encode_room(uint32_t *work, uint32_t count, const uint32_t *length);

struct jpeg_encode_picture *kst_jpeg_gpu_encode_picture(uint32_t *work, uint32_t index);

#endif
