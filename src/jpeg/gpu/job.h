/* SPDX-License-Identifier: BSD-2-Clause */
/* A batch of pictures to decode on its way through the device: the buffers and the queue that its stages share. */
#ifndef KOSTKA_JPEG_GPU_JOB_H
#define KOSTKA_JPEG_GPU_JOB_H

#include "device/executor.h"
#include "jpeg/gpu/batch.h"
#include "jpeg/gpu/modules.h"

enum job_buffer {
    HOST_WORK, /* the buffers up to HOST_RESULT are pinned */
    HOST_STREAM,
    HOST_BLOCKS, /* coefficients that come from elsewhere and are copied to the device */
    HOST_RESULT, /* damage; also pixels and planes as on the device, if an image is filled from here */
    WORK,
    STREAM,
    BYTES,  /* bytes of the parts, without stuffing */
    PARTS,  /* lists of what is known of each part */
    MAPS,   /* maps of the parts: the states to which decoding leads */
    GROUPS, /* maps of groups of parts */
    DC,     /* DC coefficient of each block, at first without what comes before its part */
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
    size_t staging_length; /* bytes of HOST_STREAM; 0: all streams are pinned */
    /* Bytes of the parts of the result that go through host memory. */
    size_t damage_length, pixels_length, planes_length;
    struct gpu_lane *lane;
    struct gpu_buffer buffer[JOB_BUFFERS];
    bool uploaded; /* the stream's upload is already queued in the lane */
    bool detail;
};

/*
 * Queue the upload of a batch's data and the download of its results; and copy from staging memory to images once the
 * results are there.
 */
void kst_gpu_job_upload(struct job *job);
void kst_gpu_job_download(struct job *job);
void kst_gpu_job_fetch(struct job *job);

/* Take the buffers, whose lengths are in bytes, from the pool, and give them back. */
bool kst_gpu_job_take(struct job *job, const uint64_t length[JOB_BUFFERS], struct gpu_error *error);
void kst_gpu_job_give(struct job *job);

/* Queue a kernel whose arguments are buffers of the job, named by GPU_BUFFERS(). */
void kst_gpu_job_launch(
    struct job *job, enum jpeg_kernel kernel, uint64_t groups, const uint32_t *buffers, uint32_t count);

/*
 * Queue a kernel that writes pixels, over all groups of a kind. Its arguments are the buffers, the buffer that receives
 * the pixels, and the number of groups to skip. This takes one launch or, with OpenCL, one for each buffer that
 * receives pixels.
 */
void kst_gpu_job_launch_output(
    struct job *job, enum jpeg_kernel kernel, enum work_kind kind, const uint32_t *buffers, uint32_t count);

/* The two stages, entropy decoding and pixels: the lengths of the buffers that each needs, and its launches. */
void kst_gpu_entropy_lengths(const struct job *job, uint64_t length[JOB_BUFFERS]);
void kst_gpu_entropy_run(struct job *job);
void kst_gpu_pixels_lengths(const struct job *job, uint64_t length[JOB_BUFFERS]);
void kst_gpu_pixels_run(struct job *job);

#endif
