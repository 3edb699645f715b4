/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the weights of the filter `matrix`, and which channels the filters `rgb` and `channel` take. */
#ifndef KOSTKA_FILTERS_CPU_COLOURS_H
#define KOSTKA_FILTERS_CPU_COLOURS_H

#include "filters/filter.h"

/*
 * Holds the weight of each channel of the source for each channel of the result, in their order in memory, and the
 * number that is added, all in units of 2^−16.
 */
struct filter_matrix {
    int32_t weight[3][3];
    int64_t added[3];
};

void kst_filter_matrix_settle(
    const struct filter_value *value, const struct filter_pixels *from, struct filter_matrix *matrix);

/* Return the channel of the source that becomes a channel of the result. */
uint32_t kst_filter_rgb_channel(const struct filter_pixels *from, uint32_t channel);
uint32_t kst_filter_channel_of(const struct filter_value *value, const struct filter_pixels *from);

#endif
