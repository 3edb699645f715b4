/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds straight lines, and draws or lists them. The edges are those of `canny` in the picture's luminance, reduced to
 * 8 bits if it has more. On a device, gpu/lines.c plans the kernels that draw and list.
 */
#include "filters/lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "filters/cpu/gradient.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/segments.h"
#include "filters/kernels/work.h"
#include "filters/shape.h"
#include "image/location.h"

enum { WHITE = 255, NARROW = 8 };
enum { HEAD = 2, PAIR = 2 /* words of a list */, PIXELS_OF_ONE = 4, ROOM = 1024 };

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
        chain.step[chain.count++] = (struct filter_step){.kind = &kst_filter_depth, .value = {{.number = NARROW}}};
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

/*
 * Draw a segment: for each step along its longer side, the pixel nearest to the line; halves go towards the segment's
 * end.
 */
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

/* Apply the filters before `lines`, and find the segments on the host, from edges that a device may have found. */
static kst_status list_on_host(
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

/* Copy the first words of a list, which lies row by row in a device's memory, to the host. */
static kst_status read_words(kst_context *context, const kst_image *list, uint32_t *words, uint64_t count)
{
    kst_image from = *list, to;
    from.height = from.plane[0].height = (uint32_t)((count + FILTER_LINES_ROW - 1) / FILTER_LINES_ROW);
    to = from;
    to.memory = KST_MEMORY_HOST;
    to.plane[0].data = words;
    to.plane[0].pitch = FILTER_LINES_ROW * (ptrdiff_t)sizeof *words;
    return kst_image_copy(context, &from, &to);
}

/* Copy the segments of a list to the host. */
static kst_status read_segments(
    kst_context *context, const kst_image *list, uint32_t count, uint32_t width, struct filter_segments *found)
{
    const uint64_t words = HEAD + (uint64_t)PAIR * count;
    const size_t rows = (size_t)((words + FILTER_LINES_ROW - 1) / FILTER_LINES_ROW);
    kst_status status = KST_OK;
    uint32_t *word = kst_memory_array(found->memory, rows, FILTER_LINES_ROW * sizeof *word, &status);
    if (!status && count > 0)
        found->segment = kst_memory_array(found->memory, count, sizeof *found->segment, &status);
    if (!status)
        status = read_words(context, list, word, words);
    for (uint32_t i = 0; i < count && !status; i++) {
        uint32_t a = word[HEAD + PAIR * (size_t)i], b = word[HEAD + PAIR * (size_t)i + 1];
        found->segment[i] =
            (kst_segment){(int32_t)(a % width), (int32_t)(a / width), (int32_t)(b % width), (int32_t)(b / width)};
    }
    found->count = status ? 0 : count;
    kst_memory_release(found->memory, word);
    return status;
}

/* Let the device list the segments. *all becomes false if there are more than the list has room for. */
static kst_status list_on_device(
    const kst_filter *filter, const kst_image *from, struct filter_segments *found, kst_report *report, bool *all)
{
    char reason[FILTER_REASON] = "";
    uint32_t head[FILTER_LINES_ROW];
    kst_filter chain = *filter;
    kst_image list, drawn;
    chain.step[chain.count - 1].kind = &kst_filter_lines_list_kind;
    kst_image_init(&list);
    list.memory = from->memory;
    kst_status status = kst_filter_run(&chain, from, &list, report);
    if (status)
        return status;
    status = kst_filter_shape_after(filter, filter->count, from, &drawn, reason);
    if (!status)
        status = read_words(filter->context, &list, head, 1);
    *all = !status && head[0] <= kst_filter_lines_room((uint64_t)drawn.width * drawn.height);
    if (*all)
        status = read_segments(filter->context, &list, head[0], drawn.width, found);
    kst_image_release(filter->context, &list);
    return status;
}

uint32_t kst_filter_lines_room(uint64_t pixels)
{
    return (uint32_t)(pixels / PIXELS_OF_ONE) + ROOM;
}

kst_status kst_filter_lines_list(
    const kst_filter *filter, const kst_image *from, kst_segments *segments, kst_report *report)
{
    struct filter_segments found = {.memory = &filter->context->memory};
    bool all = false;
    kst_status status = KST_OK;
    if (kst_memory_is_device(from->memory))
        status = list_on_device(filter, from, &found, report, &all);
    if (!status && !all)
        status = list_on_host(filter, from, &found, report);
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

/* Describe the result, a list (see kernels/lines_list.h): four samples of 8 bits are a word. */
static kst_status list_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    const uint64_t words = HEAD + PAIR * (uint64_t)kst_filter_lines_room((uint64_t)shape->width * shape->height);
    kst_status status = lines_shape(value, shape, reason);
    shape->width = FILTER_LINES_ROW * (uint32_t)sizeof(uint32_t);
    shape->height = (uint32_t)((words + FILTER_LINES_ROW - 1) / FILTER_LINES_ROW);
    return status;
}

/* Refuse to run on the CPU: only pictures in a device's memory are listed this way. */
static kst_status list_run(const struct filter_work *work)
{
    (void)work;
    return KST_ERROR_IMAGE_MEMORY;
}

const struct filter_kind kst_filter_lines_list_kind = {
    "lines", "a list of straight lines", {{.name = NULL}}, NULL, list_shape, list_run};
