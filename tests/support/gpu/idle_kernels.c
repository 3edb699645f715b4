/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands in for the library's kernels in a program that runs on idle_cuda.c, a driver that runs none, so that the
 * program needs no compiler of CUDA. It is linked before the library, from which the linker then takes no other
 * kernels.
 */
#include "device/device.h"

static const unsigned char nothing[] = "nothing";

#define STAND_IN(module)                                                                                               \
    extern const struct gpu_kernels kst_kernels_##module;                                                              \
    const struct gpu_kernels kst_kernels_##module = {.name = #module,                                                  \
        .opencl = nothing,                                                                                             \
        .opencl_end = nothing + sizeof nothing - 1,                                                                    \
        .cuda = nothing,                                                                                               \
        .cuda_end = nothing + sizeof nothing};

STAND_IN(loads)
STAND_IN(jpeg_decode)
STAND_IN(jpeg_encode)
STAND_IN(j2k_decode)
STAND_IN(j2k_encode)
STAND_IN(resize)
