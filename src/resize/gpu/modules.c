/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the kernel module of resizing. */
#include "resize/gpu/modules.h"

#include "resize/gpu/axis.h"
#include "resize/kernels/work.h"

extern const struct gpu_kernels kst_kernels_resize;

static const struct gpu_module_kernel kernels[RESIZE_KERNELS] = {
    [RESIZE_PIXELS] = {"resize_pixels", RESIZE_GROUP_ITEMS},
    [RESIZE_ACROSS_ONE] = {"resize_across_one", RESIZE_GROUP_ITEMS},
    [RESIZE_ACROSS_THREE] = {"resize_across_three", RESIZE_GROUP_ITEMS},
    [RESIZE_ACROSS_FOUR] = {"resize_across_four", RESIZE_GROUP_ITEMS},
    [RESIZE_ACROSS_WIDE] = {"resize_across_wide", RESIZE_GROUP_ITEMS},
    [RESIZE_DOWN] = {"resize_down", RESIZE_GROUP_ITEMS},
    [RESIZE_DOWN_WIDE] = {"resize_down_wide", RESIZE_GROUP_ITEMS},
};

static void begin(void *state)
{
    kst_resize_gpu_axes_begin(state);
}

static void end(void *state, struct memory *memory)
{
    kst_resize_gpu_axes_end(state, memory);
}

const struct gpu_module kst_resize_gpu_module = {.code = &kst_kernels_resize,
    .kernel = kernels,
    .count = RESIZE_KERNELS,
    .state = sizeof(struct resize_gpu_axes),
    .begin = begin,
    .end = end};
