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

/*
 * Return the light of each sample from 0 to `greatest`, and the least light of each sample of the result from 0 to
 * `greatest`, in rising order. `data` is that of filter_data.open, in which a table stays once it has been made, by
 * whichever thread needs it first. Null, with *status, if there is no memory.
 */
const uint32_t *kst_filter_xyz_light(
    const void *data, const struct filter_value *value, uint32_t greatest, kst_status *status);
const uint32_t *kst_filter_xyz_least(const void *data, uint32_t greatest, kst_status *status);

#endif
