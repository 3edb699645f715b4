/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the kernel module of filters. */
#ifndef KOSTKA_FILTERS_GPU_MODULES_H
#define KOSTKA_FILTERS_GPU_MODULES_H

#include "device/module.h"

enum filter_gpu_kernel {
    FILTER_MOVE,
    FILTER_GREY,
    FILTER_CURVE,
    FILTER_CLEAR,
    FILTER_COUNT,
    FILTER_EQUALISE,
    FILTER_BLUR_ACROSS,
    FILTER_BLUR_DOWN,
    FILTER_BILATERAL,
    FILTER_MEDIAN,
    FILTER_SOBEL,
    FILTER_CANNY_MARK,
    FILTER_CANNY_JOIN,
    FILTER_CANNY_END,
    FILTER_WARP,
    FILTER_WARP_CUBIC,
    FILTER_PICK,
    FILTER_MATRIX,
    FILTER_LUT,
    FILTER_CURVES,
    FILTER_NORMALISE,
    FILTER_HISTOGRAM_CLEAR,
    FILTER_HISTOGRAM,
    FILTER_OIL,
    FILTER_CARTOON,
    FILTER_STROKES,
    FILTER_DRY,
    FILTER_KERNELS
};

/* Its state is a struct filter_gpu_left. */
extern const struct gpu_module kst_filter_gpu_module;

#endif
