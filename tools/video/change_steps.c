/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes frames through the steps of a change: resizing, conversion between planes and RGB, filters. All frames of a
 * call take each step together, because a GPU does many in about the time of one, and they stay in its memory between
 * steps.
 */
#include "video/change_steps.h"

#include <kostka/kostka_device.h>
#include <stdlib.h>

static bool is_fine(const struct change_work *work, size_t index)
{
    return !work->images[index].report.status;
}

/* Note an image's failure, of which the report may say more. */
static void note(struct change_work *work, size_t index, kst_status status, const kst_report *report)
{
    if (status && report != NULL)
        work->images[index].report = *report;
    work->images[index].report.status = status;
}

void change_view(const kst_image *whole, uint32_t index, kst_image *part)
{
    if (whole->format != KST_FORMAT_RGB) {
        plane_image(whole, index, part);
        return;
    }
    *part = *whole;
    part->owned = NULL;
}

/* Resize all planes of all images by one call. */
static void resize_planes(struct change_work *work, kst_resize_item *items, kst_image *views)
{
    const uint32_t planes = work->change->read.rgb ? 1 : work->change->read.planes;
    size_t count = 0;

    for (size_t i = 0; i < work->count; i++)
        for (uint32_t k = 0; is_fine(work, i) && k < planes; k++, count++) {
            change_view(work->from[i], k, &views[2 * count]);
            change_view(work->to[i], k, &views[2 * count + 1]);
            items[count] = (kst_resize_item){
                .from = &views[2 * count], .options = &work->change->resize[k > 0], .to = &views[2 * count + 1]};
        }
    kst_resize_batch(work->context, items, count);
    count = 0;
    for (size_t i = 0; i < work->count; i++) {
        bool made = is_fine(work, i);
        for (uint32_t k = 0; made && k < planes; k++, count++)
            if (is_fine(work, i))
                note(work, i, items[count].report.status, &items[count].report);
    }
}

static void fail_all(struct change_work *work, kst_status status)
{
    for (size_t i = 0; i < work->count; i++)
        if (is_fine(work, i))
            note(work, i, status, NULL);
}

void change_size(struct change_work *work)
{
    enum { PLANES = 3 };
    kst_resize_item *items = calloc(PLANES * work->count, sizeof *items);
    kst_image *views = calloc(2 * PLANES * work->count, sizeof *views);

    if (items != NULL && views != NULL)
        resize_planes(work, items, views);
    else
        fail_all(work, KST_ERROR_MEMORY);
    free(views);
    free(items);
}

/* Make an image of a shape, in the kind of memory that the image states. An image with a buffer is left as it is. */
static kst_status make_image(kst_context *context, const struct video_shape *shape, kst_image *image)
{
    const kst_memory memory = image->memory;

    if (image->plane[0].data != NULL)
        return KST_OK;
    kst_image wanted;
    shape_image(shape, NULL, &wanted);
    wanted.memory = memory;
    kst_status status = kst_image_allocate(context, &wanted);
    if (!status)
        *image = wanted;
    return status;
}

/* Convert all images that are fine between planes and RGB, by one call. */
static void convert_all(struct change_work *work, kst_filter_item *items)
{
    const struct video_change *change = work->change;
    kst_ycbcr_options options;
    size_t count = 0;

    kst_filter_ycbcr_options_init(&options);
    options.matrix = change->matrix;
    options.limited = change->step[work->index].run == change_to_rgb && change->range != RANGE_FULL;
    for (size_t i = 0; i < work->count; i++)
        if (is_fine(work, i))
            items[count++] = (kst_filter_item){.from = work->from[i], .to = work->to[i]};
    kst_filter_ycbcr(work->context, items, count, &options);
    count = 0;
    for (size_t i = 0; i < work->count; i++)
        if (is_fine(work, i)) {
            note(work, i, items[count].report.status, &items[count].report);
            count++;
        }
}

static void convert(struct change_work *work)
{
    kst_filter_item *items = calloc(work->count, sizeof *items);

    if (items != NULL)
        convert_all(work, items);
    else
        fail_all(work, KST_ERROR_MEMORY);
    free(items);
}

void change_to_rgb(struct change_work *work)
{
    convert(work);
}

void change_to_planes(struct change_work *work)
{
    convert(work);
}

void change_view_pixels(const kst_image *whole, kst_image *pixels)
{
    *pixels = *whole;
    pixels->owned = NULL;
    if (whole->format == KST_FORMAT_RAW)
        pixels->format = KST_FORMAT_GREY;
}

static void filter_all(struct change_work *work, kst_flow_image *items, kst_image *views)
{
    const kst_flow_stage *stage = &work->change->filtering;
    size_t count = 0;

    for (size_t i = 0; i < work->count; i++) {
        if (!is_fine(work, i))
            continue;
        change_view_pixels(work->from[i], &views[2 * count]);
        change_view_pixels(work->to[i], &views[2 * count + 1]);
        items[count] = (kst_flow_image){.from = &views[2 * count], .to = &views[2 * count + 1]};
        count++;
    }
    stage->run(stage->user, work->context, items, count);
    count = 0;
    for (size_t i = 0; i < work->count; i++)
        if (is_fine(work, i)) {
            note(work, i, items[count].report.status, &items[count].report);
            count++;
        }
}

void change_by_filters(struct change_work *work)
{
    kst_flow_image *items = calloc(work->count, sizeof *items);
    kst_image *views = calloc(2 * work->count, sizeof *views);

    if (items != NULL && views != NULL)
        filter_all(work, items, views);
    else
        fail_all(work, KST_ERROR_MEMORY);
    free(views);
    free(items);
}

/* Make all images that a step will write. */
static void begin_step(struct change_work *work, uint32_t index)
{
    const struct video_change *change = work->change;
    const bool last = index + 1 == change->steps;

    for (size_t i = 0; i < work->count; i++) {
        work->to[i] = last ? work->images[i].to : &work->made[index * work->count + i];
        if (!last) {
            kst_image_init(work->to[i]);
            work->to[i]->memory = kst_context_memory(work->context);
        }
        if (is_fine(work, i))
            note(work, i, make_image(work->context, &change->step[index].shape, work->to[i]), NULL);
    }
}

/* Release what the step has read, unless it is the caller's: a GPU's memory is to hold many frames. */
static void end_step(struct change_work *work, uint32_t index)
{
    for (size_t i = 0; i < work->count; i++) {
        work->from[i] = work->to[i];
        if (index > 0)
            kst_image_release(work->context, &work->made[(index - 1) * work->count + i]);
    }
}

/* Return whether an image has the shape that all frames have. */
static bool has_shape(const kst_image *image, const struct video_shape *shape)
{
    const struct video_shape rgb = {image->width, image->height, 3, shape->depth, 1, 1, true};
    struct video_shape found = rgb;
    struct problem ignored;

    if (image->format != KST_FORMAT_RGB)
        return shape_of_image(image, &found, &ignored) && shape_equal(&found, shape);
    return (image->plane[0].depth == 0 ? 8 : image->plane[0].depth) == shape->depth && shape_equal(&found, shape);
}

static void begin(struct change_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        kst_flow_image *image = &work->images[i];
        kst_report_init(&image->report);
        work->from[i] = image->from;
        work->before[i] = *image->to;
        if (!has_shape(image->from, &work->change->read))
            note(work, i, KST_ERROR_IMAGE_SIZE, NULL);
    }
}

/* Release results that were made for nothing. */
static void end(struct change_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        if (is_fine(work, i))
            continue;
        if (work->before[i].plane[0].data == NULL)
            kst_image_release(work->context, work->images[i].to);
        *work->images[i].to = work->before[i];
    }
}

static void take_steps(struct change_work *work)
{
    begin(work);
    for (uint32_t i = 0; i < work->change->steps; i++) {
        work->index = i;
        begin_step(work, i);
        work->change->step[i].run(work);
        end_step(work, i);
    }
    end(work);
}

kst_status change_run(void *user, kst_context *context, kst_flow_image *images, size_t count)
{
    struct change_work work = {.change = user, .context = context, .images = images, .count = count};

    work.from = calloc(count, sizeof *work.from);
    work.to = calloc(count, sizeof *work.to);
    work.made = calloc(STEPS_MOST * count, sizeof *work.made);
    work.before = calloc(count, sizeof *work.before);
    if (work.from != NULL && work.to != NULL && work.made != NULL && work.before != NULL)
        take_steps(&work);
    else
        for (size_t i = 0; i < count; i++) {
            kst_report_init(&images[i].report);
            images[i].report.status = KST_ERROR_MEMORY;
        }
    free(work.before);
    free(work.made);
    free(work.to);
    free(work.from);
    for (size_t i = 0; i < count; i++)
        if (images[i].report.status)
            return images[i].report.status;
    return KST_OK;
}

kst_status change_describe(void *user, const kst_image *from, kst_image *to)
{
    const struct video_change *change = user;

    if (!has_shape(from, &change->read))
        return KST_ERROR_IMAGE_SIZE;
    shape_image(&change->step[change->steps - 1].shape, NULL, to);
    return KST_OK;
}
