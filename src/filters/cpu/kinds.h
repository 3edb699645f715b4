/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the filters that table.c lists. */
#ifndef KOSTKA_FILTERS_CPU_KINDS_H
#define KOSTKA_FILTERS_CPU_KINDS_H

#include "filters/filter.h"

extern const struct filter_kind kst_filter_bilateral, kst_filter_canny, kst_filter_cartoon, kst_filter_crop,
    kst_filter_depth, kst_filter_equalise, kst_filter_flip, kst_filter_gaussian, kst_filter_grey, kst_filter_invert,
    kst_filter_levels, kst_filter_lines, kst_filter_median, kst_filter_oil, kst_filter_painterly, kst_filter_resize,
    kst_filter_rotate, kst_filter_sharpen, kst_filter_sobel, kst_filter_threshold;

extern const struct filter_kind kst_filter_channel, kst_filter_lut, kst_filter_matrix, kst_filter_normalise,
    kst_filter_rgb, kst_filter_warp, kst_filter_xyz;
extern const struct filter_data kst_filter_lut_data, kst_filter_xyz_data;

/*
 * kst_filter_histogram() runs the first and kst_filter_segments() the second; chains given as text cannot contain them.
 */
extern const struct filter_kind kst_filter_histogram_kind, kst_filter_lines_list_kind;

#endif
