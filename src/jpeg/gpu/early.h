/* SPDX-License-Identifier: BSD-2-Clause */
/* A stream that is on its way to the device while the host still looks for where it ends. */
#ifndef KOSTKA_JPEG_GPU_EARLY_H
#define KOSTKA_JPEG_GPU_EARLY_H

#include "device/executor.h"

/* Taken over by a job that has the same bytes to decode. */
struct jpeg_gpu_early {
    struct gpu_lane *lane;    /* null: nothing is on its way */
    struct gpu_buffer stream; /* on the device */
    const uint8_t *data;
    size_t length; /* what is uploaded: the scans' data, and perhaps what follows them */
};

/*
 * Start with a JPEG stream in pinned memory, if it is likely to be decoded on the device, and long enough to be worth
 * it. Whatever the bytes are, nothing is lost but time.
 */
void kst_gpu_early_begin(
    struct gpu_executor *executor, const uint8_t *data, size_t length, struct jpeg_gpu_early *early);

/* Give back what no job has taken over. */
void kst_gpu_early_drop(struct gpu_executor *executor, struct jpeg_gpu_early *early);

#endif
