/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks images, and passes them through the filters of a chain. */
#include "filters/run.h"

#include <stdio.h>

#include "core/context.h"
#include "core/report.h"
#include "image/allocate.h"
#include "image/validate.h"

enum { DEPTH_MAX = 16 };

/* Images between two steps; the one that a step reads and the one that it writes. */
struct filter_between {
    kst_image image[2];
    bool made[2];
};

static void drop(struct memory *memory, struct filter_between *between, uint32_t index)
{
    if (between->made[index])
        kst_image_drop(memory, &between->image[index]);
    between->made[index] = false;
}

static kst_status check_kind(const kst_image *image, char reason[FILTER_REASON])
{
    kst_status status = kst_image_check_shape(image);
    const struct pixel_layout *layout = status ? NULL : kst_pixel_layout(image->format);
    if (status)
        return status;
    if (!kst_pixel_is_rgb(layout) && layout->colour != KST_COLOUR_GREY) {
        snprintf(reason, FILTER_REASON, "filters take grey or RGB, interleaved, with or without alpha");
        return KST_ERROR_IMAGE_FORMAT;
    }
    if (image->plane[0].sample != KST_SAMPLE_INTEGER)
        return KST_ERROR_IMAGE_SAMPLE;
    return image->plane[0].is_signed || kst_plane_depth(&image->plane[0]) > DEPTH_MAX ? KST_ERROR_IMAGE_DEPTH : KST_OK;
}

/* Describe an image without a buffer. */
static void describe(const struct filter_shape *shape, kst_image *image)
{
    kst_image_init(image);
    image->format = shape->format;
    image->colour = kst_pixel_layout(shape->format)->colour;
    image->width = shape->width;
    image->height = shape->height;
    image->plane_count = 1;
    image->plane[0] = (kst_plane){.width = shape->width, .height = shape->height, .depth = (uint8_t)shape->depth};
    image->plane[0].pitch = (ptrdiff_t)((size_t)shape->width * kst_format_samples(shape->format) *
                                        kst_plane_sample_bytes(&image->plane[0]));
}

static struct filter_shape shape_of(const kst_image *image)
{
    return (struct filter_shape){image->format, image->width, image->height, kst_plane_depth(&image->plane[0])};
}

kst_status kst_filter_shape_after(
    const kst_filter *filter, uint32_t count, const kst_image *from, kst_image *to, char reason[FILTER_REASON])
{
    kst_status status = check_kind(from, reason);
    if (status)
        return status;
    struct filter_shape shape = shape_of(from);
    for (uint32_t i = 0; i < count && !status; i++) {
        if (filter->step[i].kind->shape)
            status = filter->step[i].kind->shape(filter->step[i].value, &shape, reason);
        if (!status && (uint64_t)shape.width * shape.height > filter->context->limits.pixels)
            status = KST_ERROR_LIMIT_PIXELS;
    }
    if (!status)
        describe(&shape, to);
    return status;
}

static struct filter_pixels pixels_of(const kst_image *image)
{
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    const kst_plane *plane = &image->plane[0];
    return (struct filter_pixels){.data = plane->data,
        .pitch = plane->pitch,
        .width = image->width,
        .height = image->height,
        .channels = layout->channels,
        .colours = layout->channels - layout->alpha,
        .reversed = layout->reversed,
        .bytes = kst_plane_sample_bytes(plane),
        .greatest = (1u << kst_plane_depth(plane)) - 1};
}

static kst_status run_step(const kst_filter *filter, uint32_t index, const struct operation *operation,
    const kst_image *from, const kst_image *to)
{
    const struct filter_step *step = &filter->step[index];
    const struct filter_pixels source = pixels_of(from), target = pixels_of(to);
    const struct filter_work work = {filter->context, operation, step->value, &source, &target, from, to};
    return step->kind->run(&work);
}

/* Find or make what a step writes: the caller's image for the last one. */
static kst_status next_image(const kst_filter *filter, uint32_t index, const struct operation *operation,
    const kst_image *from, struct filter_between *between, kst_image **next)
{
    char reason[FILTER_REASON];
    if (index + 1 == filter->count)
        return KST_OK;
    *next = &between->image[index % 2];
    drop(operation->memory, between, index % 2);
    kst_status status = kst_filter_shape_after(filter, index + 1, from, *next, reason);
    if (!status)
        status = kst_image_make(operation->memory, *next);
    between->made[index % 2] = !status;
    return status;
}

static kst_status run_steps(
    const kst_filter *filter, const struct operation *operation, const kst_image *from, kst_image *to)
{
    struct filter_between between = {.made = {false}};
    const kst_image *current = from;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < filter->count && !status; i++) {
        kst_image *next = to;
        status = next_image(filter, i, operation, from, &between, &next);
        if (!status)
            status = run_step(filter, i, operation, current, next);
        current = next;
    }
    drop(operation->memory, &between, 0);
    drop(operation->memory, &between, 1);
    return status;
}

/* The bytes from the lowest row in memory to the end of the highest one. */
static void extent_of(const kst_image *image, uintptr_t *begin, uintptr_t *end)
{
    const kst_plane *plane = &image->plane[0];
    size_t row = 0, extent = 0;
    kst_plane_extent(plane, image->format, &row, &extent);
    *begin = (uintptr_t)plane->data - (plane->pitch < 0 && plane->height > 1 ? extent - row : 0);
    *end = *begin + extent;
}

static bool overlap(const kst_image *a, const kst_image *b)
{
    uintptr_t begin_a, end_a, begin_b, end_b;
    extent_of(a, &begin_a, &end_a);
    extent_of(b, &begin_b, &end_b);
    return begin_a < end_b && begin_b < end_a;
}

static kst_status check_target(const kst_image *from, const kst_image *to, const kst_image *wanted)
{
    kst_status status = kst_image_check(to);
    if (!status)
        status = kst_image_match(to, wanted);
    return status || !overlap(from, to) ? status : KST_ERROR_IMAGE_OVERLAP;
}

/* Run the chain with a result that is made here. */
static kst_status run_to_new(const kst_filter *filter, const struct operation *operation, const kst_image *from,
    const kst_image *wanted, kst_image *to)
{
    kst_image made = *wanted;
    if (to->memory != KST_MEMORY_HOST)
        return KST_ERROR_IMAGE_MEMORY;
    kst_status status = kst_image_make(operation->memory, &made);
    if (status)
        return status;
    status = run_steps(filter, operation, from, &made);
    if (status) {
        kst_image_drop(operation->memory, &made);
        return status;
    }
    kst_memory_hand_over(operation->memory, &filter->context->memory, made.owned);
    *to = made;
    return KST_OK;
}

static kst_status apply(const kst_filter *filter, const kst_image *from, kst_image *to,
    const struct operation *operation, char reason[FILTER_REASON])
{
    kst_image wanted;
    kst_status status = kst_filter_shape_after(filter, filter->count, from, &wanted, reason);
    if (!status)
        status = kst_image_check(from);
    if (status)
        return status;
    if (!to->plane[0].data)
        return run_to_new(filter, operation, from, &wanted, to);
    status = check_target(from, to, &wanted);
    return status ? status : run_steps(filter, operation, from, to);
}

kst_status kst_filter_apply(const kst_filter *filter, const kst_image *from, kst_image *to, kst_report *report)
{
    char reason[FILTER_REASON] = "";
    struct memory memory;
    kst_memory_init_beside(&memory, &filter->context->memory, filter->context->limits.memory);
    const struct operation operation = kst_context_operation(filter->context, &memory, report, NULL);
    double start = kst_seconds();
    kst_status status = apply(filter, from, to, &operation, reason);
    if (status)
        return kst_report_error(report, status, KST_NO_OFFSET, reason[0] ? "%s" : NULL, reason);
    kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    report->threads = kst_pool_threads(operation.pool);
    return KST_OK;
}
