/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the kernels that find straight lines, and draw them. */
#include "filters/cpu/segments.h"
#include "filters/gpu/plans.h"

enum { ALIGNMENT = 256, GROUPS = 4096, WORDS = 5 /* for each pixel: see kernels/lines.h */ };
static const uint64_t MOST_PIXELS = (uint64_t)1 << 30;

/* Return the bytes of the arrays between kernels. */
static uint64_t arrays_length(uint64_t pixels)
{
    const uint64_t chunks = (pixels + FILTER_LINES_CHUNK - 1) / FILTER_LINES_CHUNK;
    const uint64_t length = (WORDS * pixels + 2 * (chunks + 1)) * sizeof(uint32_t) + pixels;
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Find the luminance, of 8 bits if the picture has more. */
static kst_status find_grey(struct filter_gpu_step *step, uint64_t *length, struct filter_gpu_pixels *grey)
{
    const struct filter_pixels *from = &step->from.pixels;
    struct filter_gpu_pixels wide;
    *grey = kst_filter_gpu_sheet(step, 1, length);
    if (from->bytes == 1)
        return kst_filter_gpu_apply(step, kst_filter_gpu_grey, NULL, &step->from, grey);
    wide = kst_filter_gpu_sheet(step, from->bytes, length);
    wide.pixels.channels = 1;
    wide.pixels.bytes = from->bytes;
    wide.pixels.greatest = from->greatest;
    kst_status status = kst_filter_gpu_apply(step, kst_filter_gpu_grey, NULL, &step->from, &wide);
    return status ? status : kst_filter_gpu_apply(step, kst_filter_gpu_depth, NULL, &wide, grey);
}

/* Find the edges. The arrays begin with the words that canny needs, which are free afterwards. */
static kst_status find_edges(struct filter_gpu_step *step, uint64_t *length, struct filter_gpu_pixels *edges)
{
    struct filter_value canny[FILTER_PARAMETERS_MAX] = {step->value[FILTER_LINES_LOW], step->value[FILTER_LINES_HIGH]};
    struct filter_gpu_pixels grey;
    kst_status status = find_grey(step, length, &grey);
    *edges = kst_filter_gpu_sheet(step, 1, length);
    return status ? status : kst_filter_gpu_apply(step, kst_filter_gpu_canny, canny, &grey, edges);
}

/* Follow chains along edges, and split them. */
static kst_status find_segments(struct filter_gpu_step *step, struct filter_record *record, uint64_t pixels)
{
    const uint64_t chunks = (pixels + FILTER_LINES_CHUNK - 1) / FILTER_LINES_CHUNK;
    kst_status status = kst_filter_gpu_add_groups(step, FILTER_LINES_LINK, record, chunks);
    if (!status)
        status = kst_filter_gpu_add_groups(step, FILTER_LINES_MEASURE, record, chunks);
    if (!status)
        status = kst_filter_gpu_add_groups(step, FILTER_LINES_PLACE, record, 1);
    if (!status)
        status = kst_filter_gpu_add_groups(step, FILTER_LINES_TRACE, record, chunks);
    return status ? status
                  : kst_filter_gpu_add_groups(
                        step, FILTER_LINES_SPLIT, record, (uint64_t)record->value[FILTER_LINES_GROUPS]);
}

kst_status kst_filter_gpu_lines(struct filter_gpu_step *step)
{
    const struct filter_segments_fit fit = kst_filter_segments_fit_of(step->value);
    const uint64_t pixels = (uint64_t)step->to.pixels.width * step->to.pixels.height;
    const uint64_t blocks = (2 * pixels + FILTER_LINES_LANES - 1) / FILTER_LINES_LANES;
    uint64_t length = arrays_length(pixels);
    struct filter_gpu_step inner = *step;
    struct filter_gpu_pixels edges;
    if (pixels > MOST_PIXELS)
        return KST_ERROR_LIMIT_PIXELS;
    kst_status status = find_edges(&inner, &length, &edges);
    inner.from = edges;
    struct filter_record record = kst_filter_gpu_record(&inner);
    record.value[FILTER_LINES_TOLERANCE] = fit.tolerance;
    record.value[FILTER_LINES_LEAST] = fit.least;
    record.value[FILTER_LINES_GROUPS] = (int32_t)(blocks < GROUPS ? blocks : GROUPS);
    if (!status)
        status = find_segments(&inner, &record, pixels);
    if (!status)
        status = kst_filter_gpu_add(&inner, FILTER_LINES_BLANK, &record);
    if (!status)
        status =
            kst_filter_gpu_add_groups(&inner, FILTER_LINES_DRAW, &record, (uint64_t)record.value[FILTER_LINES_GROUPS]);
    step->order = inner.order;
    kst_filter_gpu_extra(step, length, 0);
    return status;
}
