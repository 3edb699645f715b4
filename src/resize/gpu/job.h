/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizes images on a device. */
#ifndef KOSTKA_RESIZE_GPU_JOB_H
#define KOSTKA_RESIZE_GPU_JOB_H

#include "core/operation.h"
#include "device/runtime.h"
#include "resize/gpu/steps.h"

/* Holds the seconds that the stages took on the device; 0 where the driver does not report them. */
struct resize_gpu_times {
    double upload, passes, download;
};

/*
 * Resize images, for which the caller has set the members that struct resize_gpu_item names, and wait for the end. Each
 * item's status is set. `after`, which may be null, is an event that the work waits for. `error` receives the device's
 * message about a failure.
 */
void kst_resize_gpu_run(struct gpu_runtime *runtime, const struct operation *operation, struct resize_gpu_item *items,
    uint32_t count, const struct gpu_event *after, struct resize_gpu_times *times, struct gpu_error *error);

#endif
