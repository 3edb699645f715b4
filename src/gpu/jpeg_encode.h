/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding pictures on a GPU, from pixels to the coded stream, all of it on the device. */
#ifndef KOSTKA_GPU_JPEG_ENCODE_H
#define KOSTKA_GPU_JPEG_ENCODE_H

#include "core/sink.h"
#include "gpu/executor.h"
#include "jpeg/encoding.h"

/* A picture to encode. */
struct jpeg_encode_item {
    const struct jpeg_encoding *encoding;
    /* Checked, its colour set and one that the encoding's can be made from. In CUDA's memory or the host's. */
    const kst_image *image;
    struct sink *sink; /* gets the file */
};

/* Device time in seconds. */
struct jpeg_encode_times {
    double upload, coding, download;
    double kernel[ENCODE_KERNELS]; /* in detail only */
};

/* Whether the kernels can encode it. */
bool kst_gpu_jpeg_encodes(const struct jpeg_encode_item *item);

/* How many pictures, from the first on, can go together in one batch; at least 1. All can be encoded. */
uint32_t kst_gpu_jpeg_encode_share(const struct jpeg_encode_item *items, uint32_t count);

/*
 * Encode pictures that kst_gpu_jpeg_encodes(), as many as go together. The result is in the sinks, each with its own
 * status. `detail`: time each kernel. KST_ERROR_DEVICE_FAILED, KST_ERROR_MEMORY; the sinks then hold anything.
 */
kst_status kst_gpu_jpeg_encode(struct gpu_executor *executor, const struct jpeg_encode_item *items, uint32_t count,
    bool detail, struct jpeg_encode_times *times, struct gpu_error *error);

#endif
