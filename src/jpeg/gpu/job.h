/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a job, which takes a part to decode through the device: the buffers and the queue that its stages share. */
#ifndef KOSTKA_JPEG_GPU_JOB_H
#define KOSTKA_JPEG_GPU_JOB_H

#include "device/runtime.h"
#include "jpeg/gpu/modules.h"
#include "jpeg/gpu/part.h"

enum jpeg_gpu_buffer {
    HOST_WORK, /* the buffers up to HOST_RESULT are pinned */
    HOST_STREAM,
    HOST_BLOCKS, /* coefficients that come from elsewhere and are copied to the device */
    HOST_RESULT, /* damage; also pixels and planes as on the device, if an image is filled from here */
    WORK,
    STREAM,
    BYTES,  /* bytes of the chunks, without stuffing */
    CHUNKS, /* lists of what is known of each chunk */
    MAPS,   /* maps of the chunks: the states to which decoding leads */
    GROUPS, /* maps of groups of chunks */
    DC,     /* DC coefficient of each block, at first without what comes before its chunk */
    COEFFICIENTS,
    PLANES,
    PIXELS,
    DAMAGE,
    JOB_BUFFERS
};

/* Events of a job's track. */
enum jpeg_gpu_event { BEFORE, AFTER_UPLOAD, AFTER_KERNEL, AFTER_ALL = AFTER_KERNEL + JPEG_KERNELS };
_Static_assert((int)AFTER_ALL < TRACK_EVENTS, "a track has all events of a job");

struct jpeg_gpu_job {
    struct gpu_runtime *runtime;
    const struct gpu_built *built; /* kst_jpeg_gpu_decoding */
    const struct jpeg_gpu_item *items;
    uint32_t count;
    struct jpeg_gpu_size size;
    size_t staging_length; /* bytes of HOST_STREAM; 0: no stream is staged */
    /* Bytes of the parts of the result that go through host memory. */
    size_t damage_length, pixels_length, planes_length;
    struct gpu_track *track;
    struct gpu_buffer buffer[JOB_BUFFERS];
    bool uploaded; /* the stream's upload is already queued in the track */
    bool detail;
    bool brief;   /* see struct jpeg_gpu_order */
    bool mapped;  /* kernels write the counts of damage where the host reads them */
    bool joined;  /* the stream lies in the buffers of the work, behind it */
    double start; /* when the job began, in seconds */
};

/* Record an event in the track, unless the job is brief. */
void kst_jpeg_gpu_job_record(struct jpeg_gpu_job *job, uint32_t event);

/* Return whether a picture's stream goes through staging buffers. */
bool kst_jpeg_gpu_job_stages(const struct jpeg_gpu_job *job, uint32_t index);

/*
 * Queue the upload of a part's data, queue the download of its results, and, once the results have been downloaded,
 * copy them from staging memory to images.
 */
void kst_jpeg_gpu_job_upload(struct jpeg_gpu_job *job);
void kst_jpeg_gpu_job_download(struct jpeg_gpu_job *job);
void kst_jpeg_gpu_job_fetch(struct jpeg_gpu_job *job);

/* Take the buffers from the pool, and give them back. Lengths are in bytes. */
bool kst_jpeg_gpu_job_take(struct jpeg_gpu_job *job, const uint64_t length[JOB_BUFFERS], struct gpu_error *error);
void kst_jpeg_gpu_job_give(struct jpeg_gpu_job *job);

/* Queue a kernel whose arguments are buffers of the job, named by GPU_BUFFERS(). */
void kst_jpeg_gpu_job_launch(
    struct jpeg_gpu_job *job, enum jpeg_gpu_kernel kernel, uint64_t groups, const uint32_t *buffers, uint32_t count);

/*
 * Queue a kernel that writes pixels, over all groups of a kind. Its arguments are the buffers, the buffer that receives
 * the pixels, and the number of groups to skip. This takes one launch or, with OpenCL, one for each buffer that
 * receives pixels.
 */
void kst_jpeg_gpu_job_launch_output(struct jpeg_gpu_job *job, enum jpeg_gpu_kernel kernel, enum jpeg_work_kind kind,
    const uint32_t *buffers, uint32_t count);

/*
 * For each of the two stages, entropy decoding and pixels: set the lengths of the buffers that it needs, and launch it.
 */
void kst_jpeg_gpu_entropy_lengths(const struct jpeg_gpu_job *job, uint64_t length[JOB_BUFFERS]);
void kst_jpeg_gpu_entropy_run(struct jpeg_gpu_job *job);
void kst_jpeg_gpu_pixels_lengths(const struct jpeg_gpu_job *job, uint64_t length[JOB_BUFFERS]);
void kst_jpeg_gpu_pixels_run(struct jpeg_gpu_job *job);

#endif
