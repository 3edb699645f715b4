/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes plans of JPEG 2000 on a GPU, from packet bodies to pixels. */
#ifndef KOSTKA_J2K_GPU_DECODE_H
#define KOSTKA_J2K_GPU_DECODE_H

#include "device/runtime.h"
#include "j2k/gpu/modules.h"
#include "j2k/gpu/part.h"
#include "j2k/plan/host_blocks.h"

/* Holds the damage that was found in a picture's data. */
struct j2k_gpu_damage {
    uint32_t blocks; /* number of damaged blocks */
    uint32_t offset; /* offset of the first damaged block in the stream; UINT32_MAX: that block has no bytes */
};

/* Lists the stages of a job, which are timed. */
enum j2k_gpu_stage {
    J2K_STAGE_UPLOAD,
    J2K_STAGE_GATHER,
    J2K_STAGE_BLOCKS,
    J2K_STAGE_STORE,
    J2K_STAGE_LEVELS,
    J2K_STAGE_OUTPUT,
    J2K_STAGE_DOWNLOAD,
    J2K_STAGES
};

/*
 * Holds device time in seconds, and how many of the host's threads decoded code-blocks while the device did. For jobs
 * with order->by_itself, STORE includes the times of GATHER and BLOCKS, and OUTPUT that of LEVELS.
 */
struct j2k_gpu_times {
    double stage[J2K_STAGES];
    uint32_t host_threads;
};

/* Describes a part that is being decoded. */
struct j2k_gpu_job;

/* Says how a job is scheduled next to other work. */
struct j2k_gpu_order {
    const struct gpu_event *after; /* event that the job waits for; null: none */
    uint32_t beside;               /* number of similar jobs that run on the device at the same time */
    bool followed;  /* jobs that begin later share the device with this one, which leaves some of it idle for them */
    bool by_itself; /* the calling thread does all of the host's work, because other threads begin other jobs */
    uint32_t lanes; /* blocks of a bundle; 0: chosen to suit the device */
    /* Number of planes of a block that are decoded at once, or J2K_NO_FLIGHTS; 0: chosen to suit the block. */
    uint32_t flights;
    /* A function that decodes some blocks on the runtime's threads; null: the device decodes all blocks. */
    j2k_decode_host_blocks *decode_host_blocks;
    enum cpu_tier tier;  /* instruction tier that `decode_host_blocks` uses */
    uint32_t host_bytes; /* blocks of at least so many bytes are decoded by threads; 0: those for which it pays */
};

/*
 * Start decoding pictures that were routed, and that together are within the kernels' limits. The items and all that
 * they point at must stay unchanged until the job ends. Returns null if no track or memory is available. Later failures
 * are reported by kst_j2k_gpu_end().
 */
struct j2k_gpu_job *kst_j2k_gpu_begin(struct gpu_runtime *runtime, const struct j2k_gpu_item *items, uint32_t count,
    const struct j2k_gpu_order *order, struct gpu_error *error);

/*
 * Return the number of threads that can decode some blocks while the device decodes the others; 0 if the context has
 * only one thread.
 */
uint32_t kst_j2k_gpu_threads(const struct gpu_runtime *runtime);

/* Make a queue wait until the job is done. */
void kst_j2k_gpu_follow(const struct j2k_gpu_job *job, struct gpu_queue *queue);

/* Return whether kst_j2k_gpu_end() would not have to wait. */
bool kst_j2k_gpu_done(const struct j2k_gpu_job *job);

/*
 * Wait for the job, copy the pixels of images in host memory, and end the job. `damage` has an entry for each picture.
 * On failure, such as KST_ERROR_DEVICE_FAILED, the contents of the images are undefined.
 */
kst_status kst_j2k_gpu_end(
    struct j2k_gpu_job *job, struct j2k_gpu_damage *damage, struct j2k_gpu_times *times, struct gpu_error *error);

/*
 * Decide how the bytes of an item reach the device, and how its pixels leave it. The item's plan, output, delivery and
 * image must have been filled in.
 */
void kst_j2k_gpu_route(struct gpu_runtime *runtime, struct j2k_gpu_item *item);

#endif
