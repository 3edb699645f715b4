/* SPDX-License-Identifier: BSD-2-Clause */
/* A batch on its way through the device: the buffers and the queue that its stages share. */
#ifndef KOSTKA_JPEG_GPU_JOB_H
#define KOSTKA_JPEG_GPU_JOB_H

#include "device/executor.h"
#include "jpeg/gpu/batch.h"
#include "jpeg/gpu/modules.h"

enum job_buffer {
    HOST_WORK, /* the first are pinned */
    HOST_STREAM,
    HOST_BLOCKS, /* coefficients that are copied */
    HOST_RESULT, /* damage; pixels and planes, as the device has them, where an image takes them from here */
    WORK,
    STREAM,
    BYTES,  /* of parts, without stuffing */
    PARTS,  /* lists of what is known of parts, */
    MAPS,   /* of where decoding leads in them, */
    GROUPS, /* and of groups of them */
    DC,     /* of each block, but for what comes before its part */
    COEFFICIENTS,
    PLANES,
    PIXELS,
    DAMAGE,
    JOB_BUFFERS
};

/* Events of a job's lane. */
enum job_event { BEFORE, AFTER_UPLOAD, AFTER_KERNEL, AFTER_ALL = AFTER_KERNEL + JPEG_KERNELS };
_Static_assert((int)AFTER_ALL < LANE_EVENTS, "a lane has all events of a job");

struct job {
    struct gpu_executor *executor;
    const struct gpu_built *built; /* kst_jpeg_gpu_decoding */
    const struct jpeg_gpu_item *items;
    uint32_t count;
    struct jpeg_gpu_size size;
    size_t staging_length;                              /* bytes of HOST_STREAM; 0: all streams are pinned */
    size_t damage_length, pixels_length, planes_length; /* bytes of the result that host memory is needed for */
    struct gpu_lane *lane;
    struct gpu_buffer buffer[JOB_BUFFERS];
    bool uploaded; /* the stream is on its way, in the lane's queue */
    bool detail;
};

/* What a batch brings to the device, and what comes back: queued; and from staging memory to images, once it is there.
 */
void kst_gpu_job_upload(struct job *job);
void kst_gpu_job_download(struct job *job);
void kst_gpu_job_fetch(struct job *job);

/* Take the buffers, of lengths in bytes, and give them back. */
bool kst_gpu_job_take(struct job *job, const uint64_t length[JOB_BUFFERS], struct gpu_error *error);
void kst_gpu_job_give(struct job *job);

/* Queue a kernel over GPU_BUFFERS() of the job's. */
void kst_gpu_job_launch(
    struct job *job, enum jpeg_kernel kernel, uint64_t groups, const uint32_t *buffers, uint32_t count);

/*
 * Queue a kernel that writes pixels, over all groups of a kind. Arguments: the buffers, the buffer that takes
 * the pixels, and the number of groups to skip. One launch, but with OpenCL one for each buffer that takes some.
 */
void kst_gpu_job_launch_output(
    struct job *job, enum jpeg_kernel kernel, enum work_kind kind, const uint32_t *buffers, uint32_t count);

/* The stages: what buffers they need, and their launches. */
void kst_gpu_entropy_lengths(const struct job *job, uint64_t length[JOB_BUFFERS]);
void kst_gpu_entropy_run(struct job *job);
void kst_gpu_pixels_lengths(const struct job *job, uint64_t length[JOB_BUFFERS]);
void kst_gpu_pixels_run(struct job *job);

#endif
