/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches two rectified images on a device. */
#ifndef KOSTKA_FILTERS_GPU_STEREO_H
#define KOSTKA_FILTERS_GPU_STEREO_H

#include <kostka/kostka_filter.h>

#include "core/operation.h"
#include "device/runtime.h"

/*
 * Match images in device memory: the left and the right one, the disparities, and null or how sure they are. Returns
 * when all is done. *seconds receives the time that it took the device; `error` what that says about a failure.
 */
kst_status kst_filter_gpu_stereo(struct gpu_runtime *runtime, const struct operation *operation,
    const kst_stereo_options *options, const kst_image *const image[4], double *seconds, struct gpu_error *error);

#endif
