/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says for each kind of memory in which an image can lie who reaches it, and how a sample is found there. No other code
 * of the library tests for the memory of a single driver to find that out.
 */
#ifndef KOSTKA_IMAGE_LOCATION_H
#define KOSTKA_IMAGE_LOCATION_H

#include <kostka/kostka.h>

/* Return whether only a device reaches the memory. */
static inline bool kst_memory_is_device(kst_memory memory)
{
    return memory == KST_MEMORY_CUDA || memory == KST_MEMORY_OPENCL || memory == KST_MEMORY_OPENCL_IMAGE;
}

/* Return whether kernels reach the samples by their addresses, so that planes may lie in different allocations. */
static inline bool kst_memory_has_addresses(kst_memory memory)
{
    return memory == KST_MEMORY_CUDA;
}

/* Return whether a plane's `data` is a handle of a buffer, in which its samples lie at `offset`. */
static inline bool kst_memory_has_offsets(kst_memory memory)
{
    return memory == KST_MEMORY_OPENCL;
}

#endif
