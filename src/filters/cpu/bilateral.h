/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the weights of the filter `bilateral`, which kernels read, too. */
#ifndef KOSTKA_FILTERS_CPU_BILATERAL_H
#define KOSTKA_FILTERS_CPU_BILATERAL_H

#include "filters/filter.h"

/* A distance of colours is the sum of three differences of bytes. */
enum { FILTER_BILATERAL_DISTANCES = 3 * 255 + 1, FILTER_BILATERAL_MOST = 12 /* radius */ };

int32_t kst_filter_bilateral_radius(const struct filter_value *value);

/* Fill in the weights of all distances of colours for a squared distance in space. */
void kst_filter_bilateral_weigh(const struct filter_value *value, int32_t square, uint16_t *weight);

#endif
