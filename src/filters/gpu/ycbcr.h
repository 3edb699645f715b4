/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the conversion between RGB and Y, Cb and Cr on a device. */
#ifndef KOSTKA_FILTERS_GPU_YCBCR_H
#define KOSTKA_FILTERS_GPU_YCBCR_H

#include "core/operation.h"
#include "device/runtime.h"
#include "filters/cpu/colours.h"

enum { FILTER_YCBCR_TOGETHER = 8 /* pictures of a call */, FILTER_YCBCR_IMAGES = 4 };

/* Describes a picture: its three planes as images of grey, all of one size, and interleaved RGB of that size. */
struct filter_gpu_ycbcr {
    kst_image image[FILTER_YCBCR_IMAGES]; /* in the device's memory */
    struct filter_matrix matrix;
    bool to_rgb; /* the planes become RGB, instead of RGB planes */
};

/* Convert up to FILTER_YCBCR_TOGETHER pictures. *seconds receives the device's time. */
kst_status kst_filter_gpu_ycbcr(struct gpu_runtime *runtime, const struct operation *operation,
    struct filter_gpu_ycbcr *const *picture, uint32_t count, double *seconds, struct gpu_error *error);

#endif
