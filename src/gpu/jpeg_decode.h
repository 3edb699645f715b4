/* SPDX-License-Identifier: BSD-2-Clause */
/* Carrying out plans on a GPU: from entropy-coded data to pixels, all of it on the device. */
#ifndef KOSTKA_GPU_JPEG_DECODE_H
#define KOSTKA_GPU_JPEG_DECODE_H

#include "gpu/executor.h"
#include "gpu/jpeg_batch.h"

/* What there is to say of a picture's data. */
struct jpeg_gpu_damage {
    uint32_t ended;   /* intervals whose data ended early; those without any are not counted */
    uint32_t invalid; /* bit patterns that are no code */
    uint32_t surplus; /* intervals with whole bytes left over */
};

/* Device time in seconds. */
struct jpeg_gpu_times {
    double upload, entropy, pixels, download;
    double kernel[JPEG_KERNELS]; /* in detail only */
};

/*
 * Decode pictures that kst_gpu_jpeg_supports() to their images in host memory. `damage`: one a picture. `detail`: time
 * each kernel. KST_ERROR_DEVICE_FAILED, KST_ERROR_MEMORY; the images then hold anything.
 */
kst_status kst_gpu_jpeg_decode(struct gpu_executor *executor, const struct jpeg_gpu_item *items, uint32_t count,
    bool detail, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error);

#endif
