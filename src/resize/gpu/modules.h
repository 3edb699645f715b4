/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the kernel module of resizing. */
#ifndef KOSTKA_RESIZE_GPU_MODULES_H
#define KOSTKA_RESIZE_GPU_MODULES_H

#include "device/module.h"

enum resize_gpu_kernel {
    RESIZE_PIXELS,
    RESIZE_ACROSS_ONE, /* for pixels of one channel; the next two likewise */
    RESIZE_ACROSS_THREE,
    RESIZE_ACROSS_FOUR,
    RESIZE_ACROSS_WIDE,
    RESIZE_DOWN,
    RESIZE_DOWN_WIDE,
    RESIZE_KERNELS
};

/* The module's state is a struct resize_gpu_axes. */
extern const struct gpu_module kst_resize_gpu_module;

#endif
