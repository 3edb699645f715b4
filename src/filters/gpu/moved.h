/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how many bytes kernels move at least, for the record of a profile. */
#ifndef KOSTKA_FILTERS_GPU_MOVED_H
#define KOSTKA_FILTERS_GPU_MOVED_H

#include "filters/gpu/launches.h"

struct filter_gpu_moved {
    uint64_t source, result, between;
};

/*
 * Add the bytes that a launch moves from the source, to the result, and from or to intermediate memory, if it needs
 * every pixel once.
 */
void kst_filter_gpu_moved(const struct filter_gpu_launch *launch, struct filter_gpu_moved *moved);

#endif
