/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures on a GPU: everything from pixels to the coded stream is done on the device. */
#ifndef KOSTKA_JPEG_GPU_ENCODE_H
#define KOSTKA_JPEG_GPU_ENCODE_H

#include "core/sink.h"
#include "device/executor.h"
#include "device/image.h"
#include "jpeg/gpu/modules.h"
#include "jpeg/plan/encoding.h"

/* A picture to encode. */
struct jpeg_encode_item {
    const struct jpeg_encoding *encoding;
    const kst_image *image; /* its colour is set, and the encoding's colour can be made from it */
    struct sink *sink;      /* receives the file */
    enum gpu_source source;
    struct gpu_image planes;       /* used unless the picture is staged */
    const struct gpu_event *after; /* event that a batch waits for; the first item's counts; null: none */
};

/* Device time in seconds. */
struct jpeg_encode_times {
    double upload, coding, download;
};

/* Whether the kernels can encode an item. */
bool kst_gpu_jpeg_encodes(const struct jpeg_encode_item *item);

/*
 * The number of pictures, from the first on and at most `most`, that make a good batch; at least 1. All of them can be
 * encoded.
 */
uint32_t kst_gpu_jpeg_encode_share(const struct jpeg_encode_item *items, uint32_t count, uint32_t most);

/* The bytes of device and host memory that a picture takes while it is encoded. */
uint64_t kst_gpu_jpeg_encode_memory(const struct jpeg_encode_item *item);

struct encode_batch;

/*
 * Start to encode pictures; `items` must stay until the end. `in_row` says that more batches are to follow before this
 * one is waited for. Null on failure, with the reason in `error`: KST_ERROR_DEVICE_FAILED or KST_ERROR_MEMORY.
 */
struct encode_batch *kst_gpu_jpeg_encode_begin(struct gpu_executor *executor, const struct jpeg_encode_item *items,
    uint32_t count, bool in_row, struct gpu_error *error);

/*
 * Wait until the streams are there. Then write each item's file to its sink, which several threads may do at once, and
 * end the batch. After an error the contents of the sinks are undefined.
 */
void kst_gpu_jpeg_encode_wait(struct encode_batch *batch, struct jpeg_encode_times *times, struct gpu_error *error);
void kst_gpu_jpeg_encode_write(struct encode_batch *batch, uint32_t index);
void kst_gpu_jpeg_encode_end(struct encode_batch *batch);

#endif
