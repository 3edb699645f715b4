/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares Gaussian blurring, which several filters need. */
#ifndef KOSTKA_FILTERS_CPU_BLUR_H
#define KOSTKA_FILTERS_CPU_BLUR_H

#include "filters/filter.h"

enum { FILTER_BLUR_RADIUS_MAX = 127 };

/* Holds weights that add up to 2^bits. */
struct filter_taps {
    uint32_t radius, bits;
    uint32_t tap[2 * FILTER_BLUR_RADIUS_MAX + 1];
};

/*
 * Compute the weights for a standard deviation in thousandths of a pixel: 8 bits for samples of one byte, 16 for
 * samples of two bytes. With a radius of 0, the radius follows from the standard deviation.
 */
void kst_filter_taps(uint32_t sigma, uint32_t radius, uint32_t bytes, struct filter_taps *taps);

/* Blur all channels of work->from. */
kst_status kst_filter_blur(const struct filter_work *work, const struct filter_taps *taps);

#endif
