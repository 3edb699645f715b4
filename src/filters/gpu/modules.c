/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the kernel module of filters. */
#include "filters/gpu/modules.h"

#include "filters/gpu/left.h"
#include "filters/kernels/work.h"

extern const struct gpu_kernels kst_kernels_filter;

static const struct gpu_module_kernel kernels[FILTER_KERNELS] = {
    [FILTER_MOVE] = {"filter_move", FILTER_GROUP_ITEMS},
    [FILTER_CHANNEL] = {"filter_channel", FILTER_GROUP_ITEMS},
    [FILTER_GREY] = {"filter_grey", FILTER_GROUP_ITEMS},
    [FILTER_WIDE_GREY] = {"filter_wide_grey", FILTER_GROUP_ITEMS},
    [FILTER_CURVE] = {"filter_curve", FILTER_GROUP_ITEMS},
    [FILTER_CLEAR] = {"filter_clear", FILTER_GROUP_ITEMS},
    [FILTER_COUNT] = {"filter_count", FILTER_GROUP_ITEMS},
    [FILTER_EQUALISE] = {"filter_equalise", FILTER_GROUP_ITEMS},
    [FILTER_BLUR_ACROSS_ONE] = {"filter_blur_across_one", FILTER_GROUP_ITEMS},
    [FILTER_BLUR_ACROSS_THREE] = {"filter_blur_across_three", FILTER_GROUP_ITEMS},
    [FILTER_BLUR_ACROSS_FOUR] = {"filter_blur_across_four", FILTER_GROUP_ITEMS},
    [FILTER_BLUR_DOWN] = {"filter_blur_down", FILTER_GROUP_ITEMS},
    [FILTER_WIDE_BLUR_ACROSS] = {"filter_wide_blur_across", FILTER_GROUP_ITEMS},
    [FILTER_WIDE_BLUR_DOWN] = {"filter_wide_blur_down", FILTER_GROUP_ITEMS},
    [FILTER_BILATERAL] = {"filter_bilateral", FILTER_GROUP_ITEMS},
    [FILTER_WIDE_BILATERAL] = {"filter_wide_bilateral", FILTER_GROUP_ITEMS},
    [FILTER_MEDIAN] = {"filter_median", FILTER_GROUP_ITEMS},
    [FILTER_MEDIAN_NEAR] = {"filter_median_near", FILTER_GROUP_ITEMS},
    [FILTER_WIDE_MEDIAN_NEAR] = {"filter_wide_median_near", FILTER_GROUP_ITEMS},
    [FILTER_SOBEL] = {"filter_sobel", FILTER_GROUP_ITEMS},
    [FILTER_WIDE_SOBEL] = {"filter_wide_sobel", FILTER_GROUP_ITEMS},
    [FILTER_CANNY_MARK] = {"filter_canny_mark", FILTER_GROUP_ITEMS},
    [FILTER_CANNY_GREY] = {"filter_canny_grey", FILTER_GROUP_ITEMS},
    [FILTER_CANNY_WIDE] = {"filter_canny_wide", FILTER_GROUP_ITEMS},
    [FILTER_CANNY_JOIN] = {"filter_canny_join", FILTER_GROUP_ITEMS},
    [FILTER_CANNY_END] = {"filter_canny_end", FILTER_GROUP_ITEMS},
    [FILTER_WARP] = {"filter_warp", FILTER_GROUP_ITEMS},
    [FILTER_WARP_ONE] = {"filter_warp_one", FILTER_GROUP_ITEMS},
    [FILTER_WARP_THREE] = {"filter_warp_three", FILTER_GROUP_ITEMS},
    [FILTER_WARP_FOUR] = {"filter_warp_four", FILTER_GROUP_ITEMS},
    [FILTER_WARP_CUBIC] = {"filter_warp_cubic", FILTER_GROUP_ITEMS},
    [FILTER_PICK] = {"filter_pick", FILTER_GROUP_ITEMS},
    [FILTER_MATRIX] = {"filter_matrix", FILTER_GROUP_ITEMS},
    [FILTER_MATRIX_PLANE] = {"filter_matrix_plane", FILTER_GROUP_ITEMS},
    [FILTER_LUT] = {"filter_lut", FILTER_GROUP_ITEMS},
    [FILTER_CURVES] = {"filter_curves", FILTER_GROUP_ITEMS},
    [FILTER_XYZ] = {"filter_xyz", FILTER_GROUP_ITEMS},
    [FILTER_NORMALISE] = {"filter_normalise", FILTER_GROUP_ITEMS},
    [FILTER_HISTOGRAM_CLEAR] = {"filter_histogram_clear", FILTER_GROUP_ITEMS},
    [FILTER_HISTOGRAM] = {"filter_histogram", FILTER_GROUP_ITEMS},
    [FILTER_OIL] = {"filter_oil", FILTER_GROUP_ITEMS},
    [FILTER_CARTOON] = {"filter_cartoon", FILTER_GROUP_ITEMS},
    [FILTER_STROKES] = {"filter_strokes", FILTER_GROUP_ITEMS},
    [FILTER_DRY] = {"filter_dry", FILTER_GROUP_ITEMS},
    [FILTER_LINES_LINK] = {"filter_lines_link", FILTER_GROUP_ITEMS},
    [FILTER_LINES_MEASURE] = {"filter_lines_measure", FILTER_GROUP_ITEMS},
    [FILTER_LINES_RULERS_FIND] = {"filter_lines_rulers", FILTER_GROUP_ITEMS},
    [FILTER_LINES_SUPERS] = {"filter_lines_supers", FILTER_GROUP_ITEMS},
    [FILTER_LINES_MEASURE_LONG] = {"filter_lines_measure_long", FILTER_GROUP_ITEMS},
    [FILTER_LINES_PLACE] = {"filter_lines_place", FILTER_GROUP_ITEMS},
    [FILTER_LINES_TRACE] = {"filter_lines_trace", FILTER_GROUP_ITEMS},
    [FILTER_LINES_RANK] = {"filter_lines_rank", FILTER_GROUP_ITEMS},
    [FILTER_LINES_TRACE_LONG] = {"filter_lines_trace_long", FILTER_GROUP_ITEMS},
    [FILTER_LINES_SPLIT] = {"filter_lines_split", FILTER_LINES_LANES},
    [FILTER_LINES_BLANK] = {"filter_lines_blank", FILTER_GROUP_ITEMS},
    [FILTER_LINES_DRAW] = {"filter_lines_draw", FILTER_LINES_LANES},
    [FILTER_LINES_TALLY] = {"filter_lines_tally", FILTER_GROUP_ITEMS},
    [FILTER_LINES_SETTLE] = {"filter_lines_settle", FILTER_GROUP_ITEMS},
    [FILTER_LINES_LIST] = {"filter_lines_list", FILTER_GROUP_ITEMS},
    [FILTER_STEREO_CENSUS] = {"filter_stereo_census", FILTER_GROUP_ITEMS},
    [FILTER_STEREO_PATHS_2] = {"filter_stereo_paths_2", FILTER_GROUP_ITEMS},
    [FILTER_STEREO_PATHS_4] = {"filter_stereo_paths_4", FILTER_GROUP_ITEMS},
    [FILTER_STEREO_PATHS_8] = {"filter_stereo_paths_8", FILTER_GROUP_ITEMS},
    [FILTER_STEREO_CHOOSE_2] = {"filter_stereo_choose_2", FILTER_GROUP_ITEMS},
    [FILTER_STEREO_CHOOSE_4] = {"filter_stereo_choose_4", FILTER_GROUP_ITEMS},
    [FILTER_STEREO_CHOOSE_8] = {"filter_stereo_choose_8", FILTER_GROUP_ITEMS},
    [FILTER_STEREO_STORE] = {"filter_stereo_store", FILTER_GROUP_ITEMS},
    [FILTER_SWEEP_LIGHT] = {"filter_sweep_light", FILTER_GROUP_ITEMS},
    [FILTER_SWEEP_SCORE] = {"filter_sweep_score", FILTER_GROUP_ITEMS},
    [FILTER_SWEEP_CHOOSE] = {"filter_sweep_choose", FILTER_GROUP_ITEMS},
};

static void begin(void *state)
{
    kst_filter_gpu_left_begin(state);
}

static void end(void *state, struct memory *memory)
{
    kst_filter_gpu_left_end(state, memory);
}

const struct gpu_module kst_filter_gpu_module = {.code = &kst_kernels_filter,
    .kernel = kernels,
    .count = FILTER_KERNELS,
    .state = sizeof(struct filter_gpu_left),
    .begin = begin,
    .end = end};
