/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes plans of JPEG 2000 on a GPU, from packet bodies to pixels. */
#ifndef KOSTKA_J2K_GPU_DECODE_H
#define KOSTKA_J2K_GPU_DECODE_H

#include "device/executor.h"
#include "j2k/gpu/batch.h"
#include "j2k/gpu/modules.h"
#include "j2k/plan/given.h"

/* The damage that was found in a picture's data. */
struct j2k_gpu_damage {
    uint32_t blocks; /* number of damaged blocks */
    uint32_t offset; /* offset of the first of them in the stream; UINT32_MAX: it has no bytes */
};

/* The steps of a job that are timed. */
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

/* A batch of pictures that is being decoded. */
struct j2k_job;

/* How a job is scheduled beside other work. */
struct j2k_gpu_order {
    const struct gpu_event *after; /* event that the job waits for; null: none */
    uint32_t beside;               /* number of similar jobs that run on the device meanwhile */
    uint32_t lanes;                /* blocks of a bundle; 0: chosen to suit the device */
    /* Number of planes of a block that are decoded at once, or J2K_NO_FLIGHTS; 0: chosen to suit the block. */
    uint32_t flights;
    /* A function that decodes some blocks on the executor's threads; null: the device decodes all. */
    j2k_decode_given *decode_given;
    enum cpu_tier tier; /* instruction tier that `decode_given` uses */
    uint32_t given;     /* least bytes of blocks that are given to threads; 0: as many blocks as pay */
};

/*
 * Start decoding pictures that were routed, and that together are within the kernels' limits. The items and all that
 * they point at must stay unchanged until the end. Returns null if there is no lane or no memory. Later failures are
 * reported at the end.
 */
struct j2k_job *kst_gpu_j2k_begin(struct gpu_executor *executor, const struct j2k_gpu_item *items, uint32_t count,
    const struct j2k_gpu_order *order, struct gpu_error *error);

/* The number of threads that decode some blocks while the device decodes the others; none if the context has one. */
uint32_t kst_gpu_j2k_threads(const struct gpu_executor *executor);

/* Make a queue wait until the job is done. */
void kst_gpu_j2k_follow(const struct j2k_job *job, struct gpu_queue *queue);

/* Whether kst_gpu_j2k_end() would not have to wait. */
bool kst_gpu_j2k_done(const struct j2k_job *job);

/*
 * Wait for the job, copy the pixels of images in host memory, and end the job. `damage` has an entry for each picture.
 * On failure, such as KST_ERROR_DEVICE_FAILED, the contents of the images are undefined.
 */
kst_status kst_gpu_j2k_end(
    struct j2k_job *job, struct j2k_gpu_damage *damage, struct j2k_gpu_times *times, struct gpu_error *error);

/*
 * Decide how the bytes of an item, whose plan, output, sink and image are filled in, reach the device, and how its
 * pixels leave it.
 */
void kst_gpu_j2k_route(struct gpu_executor *executor, struct j2k_gpu_item *item);

#endif
