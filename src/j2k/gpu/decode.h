/* SPDX-License-Identifier: BSD-2-Clause */
/* Carrying out plans of JPEG 2000 on a GPU: from packets' bodies to pixels, all of it on the device. */
#ifndef KOSTKA_J2K_GPU_DECODE_H
#define KOSTKA_J2K_GPU_DECODE_H

#include "device/executor.h"
#include "j2k/gpu/batch.h"
#include "j2k/gpu/modules.h"
#include "j2k/plan/given.h"

/* What there is to say of a picture's data. */
struct j2k_gpu_damage {
    uint32_t blocks; /* that are damaged */
    uint32_t offset; /* of the first of them in the stream; UINT32_MAX: it has no bytes */
};

/* Steps that are timed. */
enum j2k_step {
    J2K_STEP_UPLOAD,
    J2K_STEP_GATHER,
    J2K_STEP_BLOCKS,
    J2K_STEP_STORE,
    J2K_STEP_LEVELS,
    J2K_STEP_OUTPUT,
    J2K_STEP_DOWNLOAD,
    J2K_STEPS
};

/* Device time in seconds. */
struct j2k_gpu_times {
    double step[J2K_STEPS];
};

/* Pictures on their way. */
struct j2k_job;

/* How a job goes with other work. */
struct j2k_gpu_order {
    const struct gpu_event *after;  /* null: nothing to wait for */
    uint32_t beside;                /* how many jobs like it the device has meanwhile */
    uint32_t lanes;                 /* blocks of a bundle; 0: as many as suit the device */
    uint32_t flights;               /* planes of a block at once, or J2K_NO_FLIGHTS; 0: what suits the block */
    j2k_decode_given *decode_given; /* decodes some blocks on the executor's threads; null: nothing does */
    enum cpu_tier tier;             /* which it does with */
    uint32_t given;                 /* blocks of at least so many bytes go there; 0: as many as pay */
};

/*
 * Start decoding pictures that were routed, and together take no more than kernels can count; items and all that they
 * point at stay as they are until the end. Null where there was no lane or no memory. What fails later is told at the
 * end.
 */
struct j2k_job *kst_gpu_j2k_begin(struct gpu_executor *executor, const struct j2k_gpu_item *items, uint32_t count,
    const struct j2k_gpu_order *order, struct gpu_error *error);

/* Threads that decode some blocks while the device has the others. */
uint32_t kst_gpu_j2k_threads(const struct gpu_executor *executor);

/* Make a queue wait for all that the job does. */
void kst_gpu_j2k_follow(const struct j2k_job *job, struct gpu_queue *queue);

/* Whether the end will not have to wait. */
bool kst_gpu_j2k_done(const struct j2k_job *job);

/*
 * Wait, copy to images in host memory, and end the job. `damage`: one a picture. KST_ERROR_DEVICE_FAILED; the images
 * then hold anything.
 */
kst_status kst_gpu_j2k_end(
    struct j2k_job *job, struct j2k_gpu_damage *damage, struct j2k_gpu_times *times, struct gpu_error *error);

/* Settle how the item, with plan, output, sink and image filled in, gets its bytes and gives its pixels. */
void kst_gpu_j2k_route(struct gpu_executor *executor, struct j2k_gpu_item *item);

#endif
