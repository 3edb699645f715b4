/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how filters are applied to images on a device. */
#ifndef KOSTKA_FILTERS_GPU_JOB_H
#define KOSTKA_FILTERS_GPU_JOB_H

#include "core/operation.h"
#include "device/image.h"
#include "device/runtime.h"
#include "filters/parse.h"

/* Describes an image, and the place of its pixels on the device while a job works on it. */
struct filter_gpu_item {
    const kst_image *from, *to; /* set by the caller: checked; in device memory or the host's */
    kst_status status;
    struct gpu_image from_at, to_at; /* in device memory: the imported images */
    kst_image upload, download;      /* the images in the job's buffer that are copied from and to host memory */
    uint64_t upload_at, download_at;
};

/* Holds the seconds that the stages took on the device; 0 where the driver does not report them. */
struct filter_gpu_times {
    double upload, passes, download;
};

/*
 * Apply steps, none of which is resizing, to images. Each item's status is set. If `queue` is not null, the work is
 * queued there: all images must lie in device memory, and the call does not wait. `error` receives the device's message
 * about a failure.
 */
void kst_filter_gpu_run(struct gpu_runtime *runtime, const struct operation *operation, const struct filter_step *step,
    uint32_t steps, struct filter_gpu_item *items, uint32_t count, struct gpu_queue *queue,
    struct filter_gpu_times *times, struct gpu_error *error);

#endif
