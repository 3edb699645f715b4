/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the luminance of a pixel in integers. */
#ifndef KOSTKA_FILTERS_CPU_LUMINANCE_H
#define KOSTKA_FILTERS_CPU_LUMINANCE_H

#include "filters/filter.h"

/* The weights of BT.601 in units of 2^−15, which add up to 1: 0.299, 0.587 and 0.114. */
enum { FILTER_RED = 9798, FILTER_GREEN = 19235, FILTER_BLUE = 3735, FILTER_LUMINANCE_BITS = 15 };

static inline uint32_t kst_filter_weigh(uint32_t red, uint32_t green, uint32_t blue)
{
    return (red * FILTER_RED + green * FILTER_GREEN + blue * FILTER_BLUE + (1u << (FILTER_LUMINANCE_BITS - 1))) >>
           FILTER_LUMINANCE_BITS;
}

/* Return the luminance of pixel `x` of a row: the sample itself if it is grey. */
static inline uint32_t kst_filter_luminance(const struct filter_pixels *pixels, const uint8_t *row, size_t x)
{
    uint32_t sample[3] = {0, 0, 0};
    for (uint32_t c = 0; c < pixels->colours; c++) {
        size_t at = x * pixels->channels + c;
        sample[c] = pixels->bytes == 1 ? row[at] : ((const uint16_t *)(const void *)row)[at];
    }
    if (pixels->colours == 1)
        return sample[0];
    return pixels->reversed ? kst_filter_weigh(sample[2], sample[1], sample[0])
                            : kst_filter_weigh(sample[0], sample[1], sample[2]);
}

#endif
