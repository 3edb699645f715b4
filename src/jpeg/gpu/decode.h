/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes pictures on a GPU: everything from entropy-coded data to pixels is done on the device. */
#ifndef KOSTKA_JPEG_GPU_DECODE_H
#define KOSTKA_JPEG_GPU_DECODE_H

#include "device/runtime.h"
#include "jpeg/gpu/early.h"
#include "jpeg/gpu/modules.h"
#include "jpeg/gpu/part.h"

/* Holds the damage found in the data of a picture, all scans taken together. */
struct jpeg_gpu_damage {
    uint32_t ended;   /* intervals whose data ended early; intervals without any data are not counted */
    uint32_t invalid; /* bit patterns that are not a code */
    /* Intervals with whole bytes left over; the last one counts if it has more than allowed (WORK_SPARE_BITS). */
    uint32_t surplus;
    uint32_t completed; /* maps of chunks that were completed by a single work-item, which takes long */
    bool left;          /* too many maps were incomplete: the pixels are undefined and the CPU must make them */
};

/*
 * Holds device time in seconds. If the order is brief, the stages are not timed separately: `pixels` is the time of
 * all.
 */
struct jpeg_gpu_times {
    double upload, entropy, pixels, download;
    double kernel[JPEG_KERNELS]; /* only set if the order asks for detail */
};

/* Describes a part on its way through the device. */
struct jpeg_gpu_job;

/* Says how a job relates to other work. */
struct jpeg_gpu_order {
    const struct gpu_event *after; /* waited for before the job starts; null: nothing */
    struct jpeg_gpu_job *heir_of;  /* an earlier job whose buffers are taken over when it ends; null: none */
    /* An upload in flight, which is taken over if it is the stream of this job; null: none. */
    struct jpeg_gpu_early *early;
    bool detail; /* time each kernel */
    /*
     * The job is one small picture, which the caller waits for at once: it takes as few of the driver's calls as
     * possible. kst_jpeg_gpu_follow() and kst_jpeg_gpu_done() cannot be used.
     */
    bool brief;
};

/*
 * Start to decode pictures for which kst_jpeg_gpu_supports() is true. The items and all that they point to must stay
 * unchanged until the end. Returns null if there was no track or no memory. Later failures are reported at the end.
 */
struct jpeg_gpu_job *kst_jpeg_gpu_begin(struct gpu_runtime *runtime, const struct jpeg_gpu_item *items, uint32_t count,
    const struct jpeg_gpu_order *order, struct gpu_error *error);

/* Make a queue wait until the job has done all its work. */
void kst_jpeg_gpu_follow(const struct jpeg_gpu_job *job, struct gpu_queue *queue);

/* Return whether kst_jpeg_gpu_end() will not have to wait. */
bool kst_jpeg_gpu_done(const struct jpeg_gpu_job *job);

/*
 * Wait, copy to images in host memory, and end the job. `damage` has one element per picture. After
 * KST_ERROR_DEVICE_FAILED the contents of the images are undefined.
 */
kst_status kst_jpeg_gpu_end(
    struct jpeg_gpu_job *job, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error);

/* Return the number of bytes of device memory that a job takes. */
uint64_t kst_jpeg_gpu_memory(const struct jpeg_gpu_item *items, uint32_t count);

/* Begin and end a job in one call. */
kst_status kst_jpeg_gpu_decode(struct gpu_runtime *runtime, const struct jpeg_gpu_item *items, uint32_t count,
    bool detail, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error);

#endif
