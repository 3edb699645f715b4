/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the functions that plan the kernels of each filter. */
#ifndef KOSTKA_FILTERS_GPU_PLANS_H
#define KOSTKA_FILTERS_GPU_PLANS_H

#include "filters/gpu/launches.h"

/* Return a record with the weights of luminance. */
struct filter_record kst_filter_gpu_luminance(const struct filter_gpu_step *step);

/* Adds the launches of one application of a filter. */
typedef kst_status (*filter_gpu_plan)(struct filter_gpu_step *step);

/*
 * Return a filter's function; null if the filter has no kernels of its own: resizing, which libkostka does on any
 * device.
 */
filter_gpu_plan kst_filter_gpu_plan_of(const struct filter_kind *kind);

/*
 * Reserve a place for pixels of `channels` bytes in the intermediate memory, which is in use up to *length; *length
 * grows.
 */
struct filter_gpu_pixels kst_filter_gpu_sheet(const struct filter_gpu_step *step, uint32_t channels, uint64_t *length);

/*
 * Add the launches of a filter that works on bytes. For samples of more than 8 bits, launches before and behind its own
 * convert them to 8 bits and back.
 */
kst_status kst_filter_gpu_in_bytes(struct filter_gpu_step *step, filter_gpu_plan plan);

/* Add the launches of another filter among those of a filter. */
kst_status kst_filter_gpu_apply(struct filter_gpu_step *step, filter_gpu_plan plan, const struct filter_value *value,
    const struct filter_gpu_pixels *from, const struct filter_gpu_pixels *to);

/*
 * Return whether two steps of a chain find edges of the luminance of some pixels by an aperture of 3, so that
 * kst_filter_gpu_canny_of_grey() makes both, with the second one's values.
 */
bool kst_filter_gpu_is_canny_of_grey(
    const struct filter_gpu_pixels *from, const struct filter_step *first, const struct filter_step *second);
kst_status kst_filter_gpu_canny_of_grey(struct filter_gpu_step *step);

/* Add a launch that copies all pixels. */
kst_status kst_filter_gpu_copy(struct filter_gpu_step *step);

/* Add the table of a matrix, which kernels read; *at receives its place, for the record. */
struct filter_matrix;
kst_status kst_filter_gpu_matrix_table(struct filter_gpu_step *step, const struct filter_matrix *matrix, int32_t *at);

kst_status kst_filter_gpu_bilateral(struct filter_gpu_step *step);
kst_status kst_filter_gpu_canny(struct filter_gpu_step *step);
kst_status kst_filter_gpu_channel(struct filter_gpu_step *step);
kst_status kst_filter_gpu_cartoon(struct filter_gpu_step *step);
kst_status kst_filter_gpu_depth(struct filter_gpu_step *step);
kst_status kst_filter_gpu_gaussian(struct filter_gpu_step *step);
kst_status kst_filter_gpu_grey(struct filter_gpu_step *step);
kst_status kst_filter_gpu_histogram(struct filter_gpu_step *step);
kst_status kst_filter_gpu_lines(struct filter_gpu_step *step);
kst_status kst_filter_gpu_lines_list(struct filter_gpu_step *step);
kst_status kst_filter_gpu_lut(struct filter_gpu_step *step);
kst_status kst_filter_gpu_matrix(struct filter_gpu_step *step);
kst_status kst_filter_gpu_median(struct filter_gpu_step *step);
kst_status kst_filter_gpu_rgb(struct filter_gpu_step *step);
kst_status kst_filter_gpu_oil(struct filter_gpu_step *step);
kst_status kst_filter_gpu_painterly(struct filter_gpu_step *step);
kst_status kst_filter_gpu_sharpen(struct filter_gpu_step *step);
kst_status kst_filter_gpu_sobel(struct filter_gpu_step *step);
kst_status kst_filter_gpu_warp(struct filter_gpu_step *step);
kst_status kst_filter_gpu_xyz(struct filter_gpu_step *step);

#endif
