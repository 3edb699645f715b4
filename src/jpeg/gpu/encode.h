/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures on a GPU: everything from pixels to the coded stream is done on the device. */
#ifndef KOSTKA_JPEG_GPU_ENCODE_H
#define KOSTKA_JPEG_GPU_ENCODE_H

#include "core/sink.h"
#include "device/image.h"
#include "device/runtime.h"
#include "jpeg/gpu/modules.h"
#include "jpeg/plan/encoding.h"

/* Describes a picture to encode. */
struct jpeg_gpu_encode_item {
    const struct jpeg_encoding *encoding;
    const kst_image *image; /* its colour is set, and the encoding's colour can be made from it */
    struct sink *sink;      /* receives the file */
    enum gpu_source source;
    struct gpu_image planes;       /* used unless the picture is staged */
    const struct gpu_event *after; /* event that a job waits for; the first item's counts; null: none */
};

/* Holds device time in seconds. */
struct jpeg_gpu_encode_times {
    double upload, coding, download;
};

/* Return whether the kernels can encode an item. */
bool kst_jpeg_gpu_encodes(const struct jpeg_gpu_encode_item *item);

/*
 * Return the number of pictures, from the first on, that make a good part; at least 1. All of them can be encoded.
 */
uint32_t kst_jpeg_gpu_encode_share(const struct jpeg_gpu_encode_item *items, uint32_t count);

/*
 * Return whether a part of that many pictures is one of small pictures, whose streams are gathered on the device and
 * downloaded together.
 */
bool kst_jpeg_gpu_encode_is_gathered(uint32_t count);

/* Return the number of bytes of device and host memory that a picture takes while it is encoded. */
uint64_t kst_jpeg_gpu_encode_memory(const struct jpeg_gpu_encode_item *item);

struct jpeg_gpu_encode_job;

/*
 * Start to encode pictures; `items` must stay until the end. `in_row` says that more jobs are to follow before this
 * one is waited for. Returns null on failure, with the reason in `error`: KST_ERROR_DEVICE_FAILED or KST_ERROR_MEMORY.
 */
struct jpeg_gpu_encode_job *kst_jpeg_gpu_encode_begin(struct gpu_runtime *runtime,
    const struct jpeg_gpu_encode_item *items, uint32_t count, bool in_row, struct gpu_error *error);

/*
 * Wait until the streams have been downloaded. Then write each item's file to its sink, which several threads may do at
 * once, and end the job. After an error the contents of the sinks are undefined.
 */
void kst_jpeg_gpu_encode_wait(
    struct jpeg_gpu_encode_job *job, struct jpeg_gpu_encode_times *times, struct gpu_error *error);
void kst_jpeg_gpu_encode_write(struct jpeg_gpu_encode_job *job, uint32_t index);
void kst_jpeg_gpu_encode_end(struct jpeg_gpu_encode_job *job);

#endif
