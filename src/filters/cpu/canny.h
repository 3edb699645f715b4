/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the settings that follow from the values of the filter `canny`. */
#ifndef KOSTKA_FILTERS_CPU_CANNY_H
#define KOSTKA_FILTERS_CPU_CANNY_H

#include "filters/filter.h"

struct filter_canny {
    uint32_t radius; /* of Sobel's operator */
    bool squared;
    int32_t low, high; /* magnitudes of edges are above them */
};

void kst_filter_canny_settle(const struct filter_value *value, struct filter_canny *canny);

#endif
