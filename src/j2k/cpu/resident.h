/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lays out the resident rows of all bands in one block of memory. The rows of a code-block are a page or more apart,
 * and only large blocks of memory get huge pages, of which the processor's TLB can hold all.
 */
#ifndef KOSTKA_J2K_CPU_RESIDENT_H
#define KOSTKA_J2K_CPU_RESIDENT_H

#include <stddef.h>
#include <stdint.h>

#include "core/poison.h"

enum { J2K_RESIDENT_LINE = 64 /* bytes of a cache line */ };

static inline size_t j2k_resident_lines(size_t length)
{
    return (length + J2K_RESIDENT_LINE - 1) / J2K_RESIDENT_LINE;
}

/*
 * Return the distance between rows in samples: an odd number of cache lines, so that the rows of a code-block do not
 * compete for a few places in the cache.
 */
static inline size_t j2k_resident_pitch(size_t width, size_t size)
{
    return (j2k_resident_lines(width * size) | 1) * J2K_RESIDENT_LINE / size;
}

/* Return how many bytes `length` bytes take, with at least a line behind them that is not used. */
static inline size_t j2k_resident_room(size_t length)
{
    return (j2k_resident_lines(length) + 1) * J2K_RESIDENT_LINE;
}

/*
 * Take the first `length` bytes of what is left of the block. The unused bytes behind them are poisoned for
 * AddressSanitizer.
 */
static inline uint8_t *j2k_resident_take(uint8_t **left, size_t length)
{
    uint8_t *taken = *left;
    *left += j2k_resident_room(length);
    kst_poison(taken + length, (size_t)(*left - taken) - length);
    return taken;
}

#endif
