/* SPDX-License-Identifier: BSD-2-Clause */
/* A batch of JPEG 2000 pictures that is being decoded: the buffers and the queue that the stages share. */
#ifndef KOSTKA_J2K_GPU_JOB_H
#define KOSTKA_J2K_GPU_JOB_H

#include "j2k/gpu/decode.h"

enum j2k_buffer {
    J2K_HOST_WORK, /* the first four are pinned memory */
    J2K_HOST_STREAM,
    J2K_HOST_GIVEN,  /* coefficients of the blocks that the host decodes */
    J2K_HOST_RESULT, /* damage, and the pixels of images in host memory */
    J2K_WORK,
    J2K_STREAM,
    J2K_BITS,    /* bits of segments, without stuffing */
    J2K_STATES,  /* states of bundles */
    J2K_PASSES,  /* for each block, how many passes were decoded */
    J2K_GIVEN,   /* the same on the device */
    J2K_SAMPLES, /* samples of bands and levels */
    J2K_PIXELS,
    J2K_DAMAGE,
    J2K_BUFFERS
};

struct j2k_job {
    struct gpu_executor *executor;
    const struct gpu_built *built; /* the module kst_j2k_gpu_decoding; null: not built yet */
    const struct j2k_gpu_item *items;
    uint32_t count;
    struct j2k_batch batch;
    size_t damage_length, pixels_length;   /* bytes of the parts of the result */
    struct gpu_lane *lane;                 /* its event i + 1 follows step i */
    struct j2k_given_damage *given_damage; /* for each picture; null: no blocks are given to the host */
    kst_status given_status;
    bool alone; /* no other job was running when it began */
    struct gpu_buffer buffer[J2K_BUFFERS];
};

/* Queue uploads and downloads of a batch; and after the download, copy from staging memory to images. */
void kst_gpu_j2k_upload_streams(struct j2k_job *job);
void kst_gpu_j2k_upload_work(struct j2k_job *job);
void kst_gpu_j2k_download(struct j2k_job *job);
void kst_gpu_j2k_fetch(struct j2k_job *job);

/* given.c: decode the blocks that are given to the host, on its threads, and queue the upload of their coefficients. */
void kst_gpu_j2k_bring_given(struct j2k_job *job, const struct j2k_gpu_order *order);

#endif
