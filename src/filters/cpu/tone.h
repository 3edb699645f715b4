/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the line of the filter `levels`. */
#ifndef KOSTKA_FILTERS_CPU_TONE_H
#define KOSTKA_FILTERS_CPU_TONE_H

#include "filters/filter.h"

/* Describes a straight line through two points. */
struct filter_line {
    uint32_t black, white, lowest, highest;
};

struct filter_line kst_filter_levels_line(const struct filter_value *value, uint32_t greatest);

#endif
