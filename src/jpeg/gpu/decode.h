/* SPDX-License-Identifier: BSD-2-Clause */
/* Carrying out plans on a GPU: from entropy-coded data to pixels, all of it on the device. */
#ifndef KOSTKA_JPEG_GPU_DECODE_H
#define KOSTKA_JPEG_GPU_DECODE_H

#include "device/executor.h"
#include "jpeg/gpu/batch.h"
#include "jpeg/gpu/early.h"
#include "jpeg/gpu/modules.h"

/* What there is to say of a picture's data, all scans taken together. */
struct jpeg_gpu_damage {
    uint32_t ended;   /* intervals whose data ended early; those without any are not counted */
    uint32_t invalid; /* bit patterns that are no code */
    uint32_t surplus; /* intervals with whole bytes left over; the last one: with more than may be (WORK_SPARE_BITS) */
    uint32_t completed; /* maps of parts that one work-item completed, which takes long */
    bool left;          /* it would have been too many: the pixels are nothing, and the CPU is to make them */
};

/* Device time in seconds. */
struct jpeg_gpu_times {
    double upload, entropy, pixels, download;
    double kernel[JPEG_KERNELS]; /* in detail only */
};

/* Pictures on their way. */
struct job;

/* How a job goes with other work. */
struct jpeg_gpu_order {
    const struct gpu_event *after; /* null: nothing to wait for */
    struct job *heir_of;           /* a job begun before, whose buffers are taken over as it ends; null: none */
    struct jpeg_gpu_early *early;  /* what is on its way already, taken over if it is the job's stream; null: nothing */
    bool detail;                   /* time each kernel */
};

/*
 * Start decoding pictures that kst_gpu_jpeg_supports(); items and all that they point at stay as they are until the
 * end. Null where there was no lane or no memory. What fails later is told at the end.
 */
struct job *kst_gpu_jpeg_begin(struct gpu_executor *executor, const struct jpeg_gpu_item *items, uint32_t count,
    const struct jpeg_gpu_order *order, struct gpu_error *error);

/* Make a queue wait for all that the job does. */
void kst_gpu_jpeg_follow(const struct job *job, struct gpu_queue *queue);

/* Whether the end will not have to wait. */
bool kst_gpu_jpeg_done(const struct job *job);

/*
 * Wait, copy to images in host memory, and end the job. `damage`: one a picture. KST_ERROR_DEVICE_FAILED; the images
 * then hold anything.
 */
kst_status kst_gpu_jpeg_end(
    struct job *job, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error);

/* Bytes of device memory that a job takes. */
uint64_t kst_gpu_jpeg_memory(const struct jpeg_gpu_item *items, uint32_t count);

/* Beginning and end at once. */
kst_status kst_gpu_jpeg_decode(struct gpu_executor *executor, const struct jpeg_gpu_item *items, uint32_t count,
    bool detail, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error);

#endif
