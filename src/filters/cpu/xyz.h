/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the tables of the filter `xyz`. */
#ifndef KOSTKA_FILTERS_CPU_XYZ_H
#define KOSTKA_FILTERS_CPU_XYZ_H

#include "filters/filter.h"

enum {
    FILTER_XYZ_COLOURS = 3,
    FILTER_XYZ_LIGHT_BITS = 30,  /* light of 1 is 2^30, that of white in the picture */
    FILTER_XYZ_WEIGHT_BITS = 20, /* of weights */
    FILTER_XYZ_WEIGHTS = FILTER_XYZ_COLOURS * FILTER_XYZ_COLOURS
};

/* Return the weights of red, green and blue in X, then those in Y and in Z. */
const uint32_t *kst_filter_xyz_weights(const struct filter_value *value);

/* Write the light of each sample from 0 to `greatest`. */
void kst_filter_xyz_light(const struct filter_value *value, uint32_t greatest, uint32_t *light);

/* Write the least light of each sample of the result from 0 to `greatest`, in rising order. */
void kst_filter_xyz_least(uint32_t greatest, uint32_t *least);

#endif
