/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the sums by which RGB becomes Y, Cb and Cr, and these become RGB. */
#ifndef KOSTKA_FILTERS_CPU_YCBCR_H
#define KOSTKA_FILTERS_CPU_YCBCR_H

#include "filters/cpu/colours.h"

/* Compute the sums for samples of a depth. Returns false if the matrix is not known. */
bool kst_filter_ycbcr_from_rgb(const kst_ycbcr_options *options, uint32_t depth, struct filter_matrix *matrix);
bool kst_filter_ycbcr_to_rgb(const kst_ycbcr_options *options, uint32_t depth, struct filter_matrix *matrix);

/* Holds three planes of one size, and interleaved RGB of that size, in host memory. */
struct filter_ycbcr_pixels {
    struct filter_pixels plane[3], rgb;
};

/* Convert all pixels, on the threads of the work's operation. Samples above the greatest count as the greatest. */
kst_status kst_filter_ycbcr_join(
    const struct filter_work *work, const struct filter_ycbcr_pixels *pixels, const struct filter_matrix *matrix);
kst_status kst_filter_ycbcr_part(
    const struct filter_work *work, const struct filter_ycbcr_pixels *pixels, const struct filter_matrix *matrix);

#endif
