/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the weights of the filter `bilateral`, which kernels read, too. With samples of up to 8 bits there is a
 * weight for each pair of distances. With more, there are weights for distances in space and weights for those of
 * colours, which are multiplied.
 */
#ifndef KOSTKA_FILTERS_CPU_BILATERAL_H
#define KOSTKA_FILTERS_CPU_BILATERAL_H

#include "filters/filter.h"

/* A distance of colours is the sum of three differences of bytes. */
enum {
    FILTER_BILATERAL_DISTANCES = 3 * 255 + 1,
    FILTER_BILATERAL_MOST = 12, /* radius */
    FILTER_BILATERAL_SQUARES = FILTER_BILATERAL_MOST * FILTER_BILATERAL_MOST + 1,
    FILTER_BILATERAL_STEPS = 4096 /* distances of colours that samples of more than 8 bits have at most */
};

int32_t kst_filter_bilateral_radius(const struct filter_value *value);

/* Fill in the weights of all distances of colours for a squared distance in space. */
void kst_filter_bilateral_weigh(const struct filter_value *value, int32_t square, uint16_t *weight);

/*
 * Holds the weights for samples of more than 8 bits, 0–32767. The distance of colours is the sum of differences of
 * samples, each rounded to a multiple of 2^shift; greater distances than `last` have its weight.
 */
struct filter_bilateral_wide {
    int32_t radius;
    uint32_t shift, last;
    uint16_t space[FILTER_BILATERAL_SQUARES]; /* by the squared distance in space, up to radius² */
    uint16_t colour[FILTER_BILATERAL_STEPS];  /* by the distance of colours ÷ 2^shift */
};

/* Fill in the weights for `colours` colours whose samples are `greatest` at most. */
void kst_filter_bilateral_settle(
    const struct filter_value *value, uint32_t colours, uint32_t greatest, struct filter_bilateral_wide *wide);

/* Run the filter on samples of more than 8 bits. */
kst_status kst_filter_bilateral_run_wide(const struct filter_work *work);

#endif
