/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding pictures on a GPU, from pixels to the coded stream, all of it on the device. */
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
    const kst_image *image; /* its colour set and one that the encoding's can be made from */
    struct sink *sink;      /* gets the file */
    enum gpu_source source;
    struct gpu_image planes;       /* but of a staged picture */
    const struct gpu_event *after; /* what a batch waits for, as its first item says; null: nothing */
};

/* Device time in seconds. */
struct jpeg_encode_times {
    double upload, coding, download;
};

/* Whether the kernels can encode it. */
bool kst_gpu_jpeg_encodes(const struct jpeg_encode_item *item);

/* How many pictures, from the first on and up to `most`, go together well; at least 1. All can be encoded. */
uint32_t kst_gpu_jpeg_encode_share(const struct jpeg_encode_item *items, uint32_t count, uint32_t most);

/* Bytes of device and host memory that a picture takes while it is encoded. */
uint64_t kst_gpu_jpeg_encode_memory(const struct jpeg_encode_item *item);

struct encode_batch;

/*
 * Start to encode pictures; `items` stays until the end. `in_row`: more are to follow before this batch is waited for.
 * Null, and the error says why, where that failed. KST_ERROR_DEVICE_FAILED, KST_ERROR_MEMORY.
 */
struct encode_batch *kst_gpu_jpeg_encode_begin(struct gpu_executor *executor, const struct jpeg_encode_item *items,
    uint32_t count, bool in_row, struct gpu_error *error);

/*
 * Wait until the streams are there; then write each item's file to its sink, which may be done by several threads, and
 * end the batch. After an error the sinks hold anything.
 */
void kst_gpu_jpeg_encode_wait(struct encode_batch *batch, struct jpeg_encode_times *times, struct gpu_error *error);
void kst_gpu_jpeg_encode_write(struct encode_batch *batch, uint32_t index);
void kst_gpu_jpeg_encode_end(struct encode_batch *batch);

#endif
