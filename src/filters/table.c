/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists all filters. */
#include "filters/cpu/kinds.h"

static const struct filter_kind *const kinds[] = {&kst_filter_crop, &kst_filter_resize, &kst_filter_rotate,
    &kst_filter_flip, &kst_filter_grey, &kst_filter_depth, &kst_filter_invert, &kst_filter_levels,
    &kst_filter_threshold, &kst_filter_equalise, &kst_filter_gaussian, &kst_filter_median, &kst_filter_bilateral,
    &kst_filter_sharpen, &kst_filter_sobel, &kst_filter_canny, &kst_filter_warp, &kst_filter_rgb, &kst_filter_channel,
    &kst_filter_matrix, &kst_filter_lut, &kst_filter_normalise, &kst_filter_oil, &kst_filter_cartoon,
    &kst_filter_painterly, &kst_filter_lines, &kst_filter_xyz};

const struct filter_kind *const *kst_filter_kinds(uint32_t *count)
{
    *count = sizeof kinds / sizeof *kinds;
    return kinds;
}

const struct filter_data *kst_filter_data_of(const struct filter_kind *kind)
{
    return kind == &kst_filter_lut ? &kst_filter_lut_data : kind == &kst_filter_xyz ? &kst_filter_xyz_data : NULL;
}

uint32_t kst_filter_parameter_count(const struct filter_kind *kind)
{
    uint32_t count = 0;
    while (count < FILTER_PARAMETERS_MAX && kind->parameter[count].name)
        count++;
    return count;
}
