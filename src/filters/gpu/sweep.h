/* SPDX-License-Identifier: BSD-2-Clause */
/* Sweeps a plane through a scene on a device. */
#ifndef KOSTKA_FILTERS_GPU_SWEEP_H
#define KOSTKA_FILTERS_GPU_SWEEP_H

#include "device/runtime.h"
#include "filters/cpu/sweep.h"

/*
 * Find depths from images in device memory: the views, the reference first, the depths, and null or how similar views
 * are. `sweep` has options, sizes, maps and depths. Returns when all is done, with the time that it took the device.
 */
kst_status kst_filter_gpu_sweep(struct gpu_runtime *runtime, const struct operation *operation,
    const struct filter_sweep *sweep, const kst_image *const *image, double *seconds, struct gpu_error *error);

#endif
