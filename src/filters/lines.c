/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds straight lines, and draws them. The edges are those of `canny` in the picture's luminance, brought to 8 bits if
 * there are more. A device draws by itself (gpu/lines.c); lines are listed on the host, by the edges that the device
 * finds.
 */
#include "filters/lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "filters/cpu/gradient.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/segments.h"
#include "filters/shape.h"

enum { WHITE = 255, NARROW = 8 };

/* Find the segments of an image in any memory. */
static kst_status find_lines(kst_context *context, const struct filter_value *value, const kst_image *from,
    struct filter_segments *found, kst_report *report)
{
    kst_filter chain = {.context = context};
    const struct filter_segments_fit fit = kst_filter_segments_fit_of(value);
    kst_image edges;
    kst_image_init(&edges);
    chain.step[chain.count++] = (struct filter_step){.kind = &kst_filter_grey};
    if (from->plane[0].depth > NARROW)
        chain.step[chain.count++] = (struct filter_step){.kind = &kst_filter_depth}; /* of 8 bits */
    chain.step[chain.count++] =
        (struct filter_step){.kind = &kst_filter_canny, .value = {value[FILTER_LINES_LOW], value[FILTER_LINES_HIGH]}};
    kst_status status = kst_filter_run(&chain, from, &edges, report);
    if (status)
        return status;
    const struct operation operation = kst_context_operation(context, found->memory, report, NULL);
    const struct filter_work work = {.context = context, .operation = &operation};
    const struct filter_pixels pixels = kst_filter_pixels_of(&edges);
    status = kst_filter_segments_find(&work, &pixels, &fit, found);
    kst_image_release(context, &edges);
    return status;
}

/* Draw a segment, a pixel for each step along its longer side, nearest to the line; halves go to the segment's end. */
static void draw(const struct filter_pixels *to, const kst_segment *segment)
{
    int64_t dx = segment->x1 - segment->x0, dy = segment->y1 - segment->y0;
    int64_t steps = llabs(dx) > llabs(dy) ? llabs(dx) : llabs(dy);
    for (int64_t i = 0; i <= steps; i++) {
        int64_t x = (2 * llabs(dx) * i + steps) / (2 * steps), y = (2 * llabs(dy) * i + steps) / (2 * steps);
        x = segment->x0 + (dx < 0 ? -x : x);
        y = segment->y0 + (dy < 0 ? -y : y);
        kst_filter_row(to, (uint32_t)y)[x] = WHITE;
    }
}

/* Draw all segments, white on black. */
static void draw_all(const struct filter_segments *found, const struct filter_pixels *to)
{
    for (uint32_t y = 0; y < to->height; y++)
        memset(kst_filter_row(to, y), 0, to->width);
    for (size_t i = 0; i < found->count; i++)
        draw(to, &found->segment[i]);
}

static kst_status lines_run(const struct filter_work *work)
{
    struct filter_segments found = {.memory = work->operation->memory};
    kst_status status = find_lines(work->context, work->value, work->source, &found, NULL);
    if (!status)
        draw_all(&found, work->to);
    kst_memory_release(found.memory, found.segment);
    return status;
}

static kst_status list_of(
    const kst_filter *filter, const kst_image *from, struct filter_segments *found, kst_report *report)
{
    const struct filter_step *last = &filter->step[filter->count - 1];
    kst_filter before = *filter;
    kst_image made;
    before.count--;
    if (before.count == 0)
        return find_lines(filter->context, last->value, from, found, report);
    kst_image_init(&made);
    made.memory = from->memory == KST_MEMORY_PINNED ? KST_MEMORY_HOST : from->memory;
    kst_status status = kst_filter_run(&before, from, &made, report);
    if (status)
        return status;
    status = find_lines(filter->context, last->value, &made, found, report);
    kst_image_release(filter->context, &made);
    return status;
}

kst_status kst_filter_lines_list(
    const kst_filter *filter, const kst_image *from, kst_segments *segments, kst_report *report)
{
    struct filter_segments found = {.memory = &filter->context->memory};
    kst_status status = list_of(filter, from, &found, report);
    if (status) {
        kst_memory_release(found.memory, found.segment);
        return status;
    }
    segments->segment = found.segment;
    segments->count = found.count;
    return KST_OK;
}

static kst_status lines_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    (void)value;
    shape->format = KST_FORMAT_GREY;
    kst_status status = kst_filter_check_sides("lines", shape, reason);
    shape->depth = status ? shape->depth : NARROW;
    return status;
}

const struct filter_kind kst_filter_lines = {"lines", "straight lines along edges, white on black; alpha is dropped",
    {{"low", "of canny", KST_FILTER_DECIMAL, false, 0, 2000000, 40, NULL},
        {"high", "of canny", KST_FILTER_DECIMAL, false, 0, 2000000, 100, NULL},
        {"tolerance", "pixels between edges and lines", KST_FILTER_DECIMAL, false, 0.25, 16, 1.5, NULL},
        {"length", "the least of a line, in pixels", KST_FILTER_INTEGER, false, 1, 65535, 10, NULL}},
    NULL, lines_shape, lines_run};
