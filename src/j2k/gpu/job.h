/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a part that is being decoded: the buffers and the queue that the stages share. */
#ifndef KOSTKA_J2K_GPU_JOB_H
#define KOSTKA_J2K_GPU_JOB_H

#include "j2k/gpu/decode.h"

enum j2k_gpu_buffer {
    J2K_HOST_WORK, /* the first four are pinned memory */
    J2K_HOST_STREAM,
    J2K_HOST_COEFFICIENTS, /* coefficients of the blocks that the host decodes */
    J2K_HOST_RESULT,       /* damage, and the pixels of images in host memory */
    J2K_WORK,
    J2K_STREAM,
    J2K_BITS,         /* bits of segments, without stuffing */
    J2K_STATES,       /* states of bundles */
    J2K_PASSES,       /* for each block, how many passes were decoded */
    J2K_COEFFICIENTS, /* coefficients of host blocks, on the device */
    J2K_SAMPLES,      /* samples of bands and levels */
    J2K_PIXELS,
    J2K_DAMAGE,
    J2K_BUFFERS
};

struct j2k_gpu_job {
    struct gpu_runtime *runtime;
    struct pool *threads;          /* threads that help to prepare the job; null: none do */
    const struct gpu_built *built; /* the module kst_j2k_gpu_decoding; null: not built yet */
    const struct j2k_gpu_item *items;
    uint32_t count;
    struct j2k_gpu_part part;
    size_t damage_length, pixels_length; /* bytes of the parts of the result */
    struct gpu_track *track;             /* its event i + 1 is recorded behind stage i */
    struct j2k_host_damage *host_damage; /* for each picture; null: there are no host blocks */
    kst_status host_status;
    bool alone;  /* no other job was running when this one began */
    bool coarse; /* some stages are not timed separately */
    struct gpu_buffer buffer[J2K_BUFFERS];
};

/* Queue the uploads and the download of a part; and after the download, copy from staging memory to images. */
void kst_j2k_gpu_upload_streams(struct j2k_gpu_job *job);
void kst_j2k_gpu_upload_work(struct j2k_gpu_job *job);
void kst_j2k_gpu_download(struct j2k_gpu_job *job);
void kst_j2k_gpu_fetch(struct j2k_gpu_job *job);

/* host_blocks.c: decode the host blocks on the host's threads, and queue the upload of their coefficients. */
void kst_j2k_gpu_bring_host_blocks(struct j2k_gpu_job *job, const struct j2k_gpu_order *order);

#endif
