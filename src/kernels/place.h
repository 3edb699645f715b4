/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds samples that lie at a distance from the buffer of a launch. */
#include "kernels/portable.h"

FUNCTION u64 place_of(GLOBAL const u32 *words)
{
    return (u64)words[1] << 32 | words[0];
}

/*
 * Return the address at a distance from the launch's buffer, for reading or writing. CUDA's distances may lead to other
 * allocations, and are counted modulo 2^64.
 */
FUNCTION GLOBAL const u8 *source_at(GLOBAL const u8 *buffer, u64 place)
{
#if defined(__CUDACC__)
    return (const u8 *)((u64)buffer + place);
#else
    return buffer + place;
#endif
}

FUNCTION GLOBAL u8 *target_at(GLOBAL u8 *buffer, u64 place)
{
#if defined(__CUDACC__)
    return (u8 *)((u64)buffer + place);
#else
    return buffer + place;
#endif
}
