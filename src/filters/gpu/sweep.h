/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the sweep of a plane through a scene on a device. */
#ifndef KOSTKA_FILTERS_GPU_SWEEP_H
#define KOSTKA_FILTERS_GPU_SWEEP_H

#include "device/runtime.h"
#include "filters/cpu/sweep.h"

/*
 * Find depths from images in device memory. `image` holds the views, the reference first, the depths, and the
 * confidence or null. `sweep` holds options, sizes, maps and depths. Returns when all is done; *seconds receives the
 * device's time.
 */
kst_status kst_filter_gpu_sweep(struct gpu_runtime *runtime, const struct operation *operation,
    const struct filter_sweep *sweep, const kst_image *const *image, double *seconds, struct gpu_error *error);

#endif
