/* SPDX-License-Identifier: BSD-2-Clause */
/* A batch of JPEG 2000 pictures on its way through the device: the buffers and the queue that its stages share. */
#ifndef KOSTKA_J2K_GPU_JOB_H
#define KOSTKA_J2K_GPU_JOB_H

#include "j2k/gpu/decode.h"

enum j2k_buffer {
    J2K_HOST_WORK, /* the first are pinned */
    J2K_HOST_STREAM,
    J2K_HOST_GIVEN,  /* coefficients of the blocks that the host decodes */
    J2K_HOST_RESULT, /* damage, and pixels where an image takes them from here */
    J2K_WORK,
    J2K_STREAM,
    J2K_BITS,    /* of segments, without stuffing */
    J2K_STATES,  /* of bundles of blocks */
    J2K_PASSES,  /* of each block: how many were decoded */
    J2K_GIVEN,   /* as J2K_HOST_GIVEN */
    J2K_SAMPLES, /* bands and levels */
    J2K_PIXELS,
    J2K_DAMAGE,
    J2K_BUFFERS
};

struct j2k_job {
    struct gpu_executor *executor;
    const struct gpu_built *built; /* kst_j2k_gpu_decoding; null: not yet */
    const struct j2k_gpu_item *items;
    uint32_t count;
    struct j2k_batch batch;
    size_t damage_length, pixels_length;   /* bytes of the result */
    struct gpu_lane *lane;                 /* its event i + 1 follows step i */
    struct j2k_given_damage *given_damage; /* of each picture; null: no blocks are given */
    kst_status given_status;
    bool alone; /* as it began no other was on its way */
    struct gpu_buffer buffer[J2K_BUFFERS];
};

/* What a batch brings to the device, and what comes back: queued; and from staging memory to images, once it is there.
 */
void kst_gpu_j2k_upload_streams(struct j2k_job *job);
void kst_gpu_j2k_upload_work(struct j2k_job *job);
void kst_gpu_j2k_download(struct j2k_job *job);
void kst_gpu_j2k_fetch(struct j2k_job *job);

/* given.c: decode what is given to the host, on its threads, and queue how it comes to the device. */
void kst_gpu_j2k_bring_given(struct j2k_job *job, const struct j2k_gpu_order *order);

#endif
