/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the matching of two rectified images on a device. */
#ifndef KOSTKA_FILTERS_GPU_STEREO_H
#define KOSTKA_FILTERS_GPU_STEREO_H

#include <kostka/kostka_filter.h>

#include "core/operation.h"
#include "device/runtime.h"

/*
 * Match images in device memory. `image` holds the left and the right image, the disparities, and the confidence or
 * null. Returns when all is done. *seconds receives the device's time, and `error` its message about a failure.
 */
kst_status kst_filter_gpu_stereo(struct gpu_runtime *runtime, const struct operation *operation,
    const kst_stereo_options *options, const kst_image *const image[4], double *seconds, struct gpu_error *error);

#endif
