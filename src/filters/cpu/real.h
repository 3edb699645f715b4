/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts parameters of the type KST_FILTER_REAL to fixed point. */
#ifndef KOSTKA_FILTERS_CPU_REAL_H
#define KOSTKA_FILTERS_CPU_REAL_H

#include <stdint.h>

/* Return thousand-millionths times a factor of up to 2^33, rounded half away from 0; the result must fit. */
static inline int64_t kst_filter_scale(int64_t real, int64_t factor)
{
    const int64_t billion = 1000000000;
    int64_t magnitude = real < 0 ? -real : real;
    int64_t made = magnitude / billion * factor + (magnitude % billion * factor + billion / 2) / billion;
    return real < 0 ? -made : made;
}

#endif
