/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the matching of two rectified images on threads. docs/filters.md describes the arithmetic, which
 * kernels/stereo.h shares.
 */
#ifndef KOSTKA_FILTERS_CPU_STEREO_H
#define KOSTKA_FILTERS_CPU_STEREO_H

#include "filters/filter.h"

enum {
    FILTER_STEREO_ACROSS = 4,        /* columns of a census window on either side of its pixel */
    FILTER_STEREO_DOWN = 3,          /* rows of a census window above and below its pixel */
    FILTER_STEREO_WORST = 31,        /* the greatest cost, also that of pixels outside the right image */
    FILTER_STEREO_DISPARITIES = 256, /* the most disparities */
    FILTER_STEREO_PENALTY = 224,     /* the greatest penalty: costs along a path then fit 8 bits, and their sums 11 */
    FILTER_STEREO_FRACTION = 256,    /* parts of a pixel */
    FILTER_STEREO_SURE = 255,        /* the greatest confidence */
    FILTER_STEREO_FAR = 0x3FFF,      /* more than any cost along a path */
    FILTER_STEREO_DIRECTIONS = 8
};

/* Holds the step of each direction; paths run in the first four directions, or in all. */
extern const int32_t kst_filter_stereo_steps[FILTER_STEREO_DIRECTIONS][2];

/*
 * Holds the arrays of one matching. Rows of the right census are reversed, so that greater disparities have greater
 * indices.
 */
struct filter_stereo {
    const kst_stereo_options *options;
    uint32_t width, height;
    uint32_t *left, *right; /* a census for each pixel */
    uint8_t *cost;          /* one for each pixel and disparity; those of a pixel lie side by side */
    uint16_t *sum;          /* likewise, the sums of the paths' costs */
};

/*
 * Compute the census of each pixel of an image, whose bits say which of two pixels that lie opposite each other is
 * brighter.
 */
kst_status kst_filter_stereo_census(
    const struct filter_work *work, const struct filter_pixels *image, bool reversed, uint32_t *census);

/* Compute all costs, follow the paths of all directions, and add up their costs. */
kst_status kst_filter_stereo_aggregate(const struct filter_work *work, const struct filter_stereo *stereo);

/* Choose disparities, and write them and, unless that is null, their confidence. */
kst_status kst_filter_stereo_select(const struct filter_work *work, const struct filter_stereo *stereo,
    const struct filter_pixels *disparity, const struct filter_pixels *confidence);

/* Do all of this. All images are of one size; `disparity` has 16 bits, `confidence` 8. */
kst_status kst_filter_stereo_match(const struct filter_work *work, const kst_stereo_options *options,
    const struct filter_pixels image[2], const struct filter_pixels *disparity, const struct filter_pixels *confidence);

/*
 * Return for how many disparities, from the least one on, the match of column x lies in the right image; perhaps none.
 */
static inline uint32_t kst_filter_stereo_visible(const kst_stereo_options *options, uint32_t x)
{
    if (x < options->least)
        return 0;
    return x - options->least < options->disparities ? x - options->least + 1 : options->disparities;
}

#endif
