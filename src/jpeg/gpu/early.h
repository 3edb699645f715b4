/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares an upload of a stream that begins while the host still searches for the end of its data. */
#ifndef KOSTKA_JPEG_GPU_EARLY_H
#define KOSTKA_JPEG_GPU_EARLY_H

#include "device/runtime.h"

/* Holds the upload; a job that decodes the same bytes takes it over. */
struct jpeg_gpu_early {
    struct gpu_track *track;  /* null: no upload is in flight */
    struct gpu_buffer stream; /* buffer on the device */
    const uint8_t *data;
    size_t length; /* number of bytes uploaded: the data of the scans, and perhaps what follows them */
};

/*
 * Start to upload a JPEG stream in pinned memory, if it is likely to be decoded on the device and long enough to be
 * worth it. Whatever the bytes are, a wrong guess costs only time.
 */
void kst_jpeg_gpu_early_begin(
    struct gpu_runtime *runtime, const uint8_t *data, size_t length, struct jpeg_gpu_early *early);

/* Wait for an upload that no job has taken over, and give its track and buffer back. */
void kst_jpeg_gpu_early_drop(struct gpu_runtime *runtime, struct jpeg_gpu_early *early);

#endif
