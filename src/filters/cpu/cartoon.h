/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the settings that follow from the values of the filter `cartoon`, among them the values of the filters that
 * it applies.
 */
#ifndef KOSTKA_FILTERS_CPU_CARTOON_H
#define KOSTKA_FILTERS_CPU_CARTOON_H

#include "filters/filter.h"

struct filter_cartoon {
    uint32_t levels, passes, line;
    struct filter_value bilateral[FILTER_PARAMETERS_MAX], canny[FILTER_PARAMETERS_MAX];
};

void kst_filter_cartoon_settle(const struct filter_value *value, struct filter_cartoon *cartoon);

#endif
