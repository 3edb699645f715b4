/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the kernels that find straight lines and draw or list them. */
#include "filters/cpu/segments.h"
#include "filters/gpu/plans.h"

enum { ALIGNMENT = 256, GROUPS = 4096, WORDS = 5 /* words for each pixel: see kernels/lines.h */ };
static const uint64_t MOST_PIXELS = (uint64_t)1 << 30;

static uint64_t quotient_up(uint64_t value, uint64_t by)
{
    return (value + by - 1) / by;
}

/* Return the number of pixels in the rows and columns of a grid. */
static uint64_t rulers_of(const struct filter_pixels *pixels, uint64_t spacing)
{
    return quotient_up(pixels->height, spacing) * pixels->width + quotient_up(pixels->width, spacing) * pixels->height;
}

/* Return the bytes of the arrays that kernels share. */
static uint64_t arrays_length(uint64_t pixels, uint64_t rulers)
{
    const uint64_t chunks = quotient_up(pixels, FILTER_LINES_CHUNK);
    const uint64_t words = WORDS * pixels + 2 * (chunks + 1) + FILTER_LINES_RULER_WORDS * rulers;
    const uint64_t length = words * sizeof(uint32_t) + pixels;
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Plan the computation of the luminance of a picture of more than 8 bits, reduced to 8. */
static kst_status find_grey(struct filter_gpu_step *step, uint64_t *length, struct filter_gpu_pixels *grey)
{
    const struct filter_pixels *from = &step->from.pixels;
    struct filter_gpu_pixels wide;
    *grey = kst_filter_gpu_sheet(step, 1, length);
    wide = kst_filter_gpu_sheet(step, from->bytes, length);
    wide.pixels.channels = 1;
    wide.pixels.bytes = from->bytes;
    wide.pixels.greatest = from->greatest;
    kst_status status = kst_filter_gpu_apply(step, kst_filter_gpu_grey, NULL, &step->from, &wide);
    return status ? status : kst_filter_gpu_apply(step, kst_filter_gpu_depth, NULL, &wide, grey);
}

/* Plan the search for edges. The arrays begin with the words that canny needs, which are free afterwards. */
static kst_status find_edges(struct filter_gpu_step *step, uint64_t *length, struct filter_gpu_pixels *edges)
{
    struct filter_value canny[FILTER_PARAMETERS_MAX] = {step->value[FILTER_LINES_LOW], step->value[FILTER_LINES_HIGH]};
    struct filter_gpu_pixels from = step->from;
    kst_status status = from.pixels.bytes > 1 ? find_grey(step, length, &from) : KST_OK;
    *edges = kst_filter_gpu_sheet(step, 1, length);
    return status ? status : kst_filter_gpu_apply(step, kst_filter_gpu_canny_of_grey, canny, &from, edges);
}

/* Describes a launch: its kernel and its number of work-groups. */
struct filter_lines_pass {
    enum filter_gpu_kernel kernel;
    uint64_t groups;
};

static kst_status add_passes(struct filter_gpu_step *step, const struct filter_record *record,
    const struct filter_lines_pass *pass, size_t count)
{
    kst_status status = KST_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = kst_filter_gpu_add_groups(step, pass[i].kernel, record, pass[i].groups);
    return status;
}

/*
 * Plan the kernels that follow chains along edges and split them. Kernels for long chains return at once if there are
 * none.
 */
static kst_status find_segments(
    struct filter_gpu_step *step, const struct filter_record *record, const struct filter_pixels *pixels)
{
    const uint64_t chunks = quotient_up((uint64_t)pixels->width * pixels->height, FILTER_LINES_CHUNK);
    const uint64_t rulers = quotient_up(rulers_of(pixels, FILTER_LINES_RULER), FILTER_GROUP_ITEMS);
    const uint64_t supers = quotient_up(rulers_of(pixels, FILTER_LINES_SUPER), FILTER_GROUP_ITEMS);
    const struct filter_lines_pass passes[] = {{FILTER_LINES_LINK, chunks}, {FILTER_LINES_MEASURE, chunks},
        {FILTER_LINES_RULERS_FIND, rulers}, {FILTER_LINES_SUPERS, supers}, {FILTER_LINES_MEASURE_LONG, chunks},
        {FILTER_LINES_PLACE, 1}, {FILTER_LINES_TRACE, chunks}, {FILTER_LINES_RANK, supers},
        {FILTER_LINES_TRACE_LONG, rulers}, {FILTER_LINES_SPLIT, (uint64_t)record->value[FILTER_LINES_GROUPS]}};
    return add_passes(step, record, passes, sizeof passes / sizeof *passes);
}

/*
 * Plan the search for the segments of step->from. *inner receives the step to which further launches are added, and
 * *record the record for these.
 */
static kst_status begin_lines(
    struct filter_gpu_step *step, struct filter_gpu_step *inner, struct filter_record *record, uint64_t *length)
{
    const struct filter_segments_fit fit = kst_filter_segments_fit_of(step->value);
    const struct filter_pixels *from = &step->from.pixels;
    const uint64_t pixels = (uint64_t)from->width * from->height;
    const uint64_t blocks = quotient_up(2 * pixels, FILTER_LINES_LANES), rulers = rulers_of(from, FILTER_LINES_RULER);
    struct filter_gpu_pixels edges;
    *length = arrays_length(pixels, rulers);
    if (pixels > MOST_PIXELS)
        return KST_ERROR_LIMIT_PIXELS;
    *inner = *step;
    inner->to.pixels.width = from->width; /* the image's size, even if the result is a list */
    inner->to.pixels.height = from->height;
    kst_status status = find_edges(inner, length, &edges);
    inner->from = edges;
    *record = kst_filter_gpu_record(inner);
    record->value[FILTER_LINES_TOLERANCE] = fit.tolerance;
    record->value[FILTER_LINES_LEAST] = fit.least;
    record->value[FILTER_LINES_GROUPS] = (int32_t)(blocks < GROUPS ? blocks : GROUPS);
    record->value[FILTER_LINES_RULERS] = (int32_t)rulers;
    return status ? status : find_segments(inner, record, from);
}

kst_status kst_filter_gpu_lines(struct filter_gpu_step *step)
{
    struct filter_gpu_step inner;
    struct filter_record record;
    uint64_t length;
    kst_status status = begin_lines(step, &inner, &record, &length);
    if (status)
        return status;
    status = kst_filter_gpu_add(&inner, FILTER_LINES_BLANK, &record);
    if (!status)
        status =
            kst_filter_gpu_add_groups(&inner, FILTER_LINES_DRAW, &record, (uint64_t)record.value[FILTER_LINES_GROUPS]);
    step->order = inner.order;
    kst_filter_gpu_extra(step, length, 0);
    return status;
}

kst_status kst_filter_gpu_lines_list(struct filter_gpu_step *step)
{
    const uint64_t pixels = (uint64_t)step->from.pixels.width * step->from.pixels.height;
    const uint64_t chunks = quotient_up(2 * pixels, FILTER_LINES_CHUNK);
    const struct filter_lines_pass passes[] = {
        {FILTER_LINES_TALLY, chunks}, {FILTER_LINES_SETTLE, 1}, {FILTER_LINES_LIST, chunks}};
    struct filter_gpu_step inner;
    struct filter_record record;
    uint64_t length;
    kst_status status = begin_lines(step, &inner, &record, &length);
    if (status)
        return status;
    record.value[FILTER_LINES_ROOM] = (int32_t)kst_filter_lines_room(pixels);
    status = add_passes(&inner, &record, passes, sizeof passes / sizeof *passes);
    step->order = inner.order;
    kst_filter_gpu_extra(step, length, 0);
    return status;
}
