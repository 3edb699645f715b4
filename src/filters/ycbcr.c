/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements kst_filter_ycbcr(). Each image becomes pictures of three planes and RGB of one size, in one memory: what
 * lies elsewhere is copied, and chroma that is smaller is enlarged by libkostka. Then threads or a device convert them.
 */
#include "filters/cpu/ycbcr.h"
#include <stdio.h>

#include "core/report.h"
#include "filters/gpu/ycbcr.h"
#include "filters/images.h"
#include "filters/shape.h"
#include "image/location.h"
#include "image/validate.h"
#include "run/device.h"

enum { PLANES = 3, CHROMA = 1, CHROMAS = 2, RGB = PLANES, LEAST_DEPTH = 8, MOST_DEPTH = 16 };

/* Holds an image of a batch. */
struct ycbcr_entry {
    kst_filter_item *item;
    struct memory memory; /* memory of the operation */
    struct filter_result result;
    bool on_gpu;
    kst_image from, to;              /* copies in the device's memory of images that lie in host memory */
    kst_image chroma[CHROMAS];       /* enlarged planes */
    struct filter_gpu_ycbcr picture; /* views of what is converted */
    kst_image small[CHROMAS];        /* views of planes that are enlarged */
    kst_status status;
    char reason[FILTER_REASON];
};

struct ycbcr_batch {
    kst_context *context;
    const kst_ycbcr_options *options;
    struct ycbcr_entry *entry;
    uint32_t count;
};

void kst_filter_ycbcr_options_init(kst_ycbcr_options *options)
{
    if (options)
        *options = (kst_ycbcr_options){.size = sizeof *options, .matrix = 5};
}

static void view_plane(const kst_image *planes, uint32_t index, kst_image *view)
{
    const kst_plane *plane = &planes->plane[index];
    const struct filter_shape shape = {KST_FORMAT_GREY, plane->width, plane->height, kst_plane_depth(plane)};
    kst_filter_shape_image(&shape, view);
    view->memory = planes->memory;
    view->plane[0] = *plane;
}

/* Describe three planes of one size, without buffers. */
static void describe_planes(uint32_t width, uint32_t height, uint32_t depth, kst_image *planes)
{
    kst_image_init(planes);
    planes->format = KST_FORMAT_RAW;
    planes->colour = KST_COLOUR_YCBCR;
    planes->width = width;
    planes->height = height;
    planes->plane_count = PLANES;
    for (uint32_t i = 0; i < PLANES; i++) {
        planes->plane[i] = (kst_plane){.width = width, .height = height, .depth = (uint8_t)depth};
        planes->plane[i].pitch = (ptrdiff_t)((size_t)width * kst_plane_sample_bytes(&planes->plane[i]));
    }
}

/* Check that an image is what can be converted, and describe the result. */
static kst_status check_source(kst_context *context, const kst_image *from, kst_image *wanted)
{
    kst_status status = kst_filter_image_check(context, from);
    if (status)
        return status;
    const uint32_t depth = kst_plane_depth(&from->plane[0]);
    const bool planes = from->format == KST_FORMAT_RAW && from->plane_count == PLANES;
    if (!planes && from->format != KST_FORMAT_RGB)
        return KST_ERROR_IMAGE_FORMAT;
    for (uint32_t i = 0; i < from->plane_count; i++) {
        const kst_plane *plane = &from->plane[i];
        if (plane->sample != KST_SAMPLE_INTEGER)
            return KST_ERROR_IMAGE_SAMPLE;
        if (plane->is_signed || kst_plane_depth(plane) != depth)
            return KST_ERROR_IMAGE_DEPTH;
        if (plane->width > from->width || plane->height > from->height)
            return KST_ERROR_IMAGE_SIZE;
    }
    if (depth < LEAST_DEPTH || depth > MOST_DEPTH)
        return KST_ERROR_IMAGE_DEPTH;
    if (from->plane[0].width != from->width || from->plane[0].height != from->height)
        return KST_ERROR_IMAGE_SIZE;
    const struct filter_shape shape = {KST_FORMAT_RGB, from->width, from->height, depth};
    if (planes)
        kst_filter_shape_image(&shape, wanted);
    else
        describe_planes(from->width, from->height, depth, wanted);
    return (uint64_t)from->width * from->height > context->limits.pixels ? KST_ERROR_LIMIT_PIXELS : KST_OK;
}

/* Return an image, or its copy in the device's memory, which the image is copied to if `filled` is set. */
static const kst_image *place(
    struct ycbcr_batch *batch, struct ycbcr_entry *entry, const kst_image *image, kst_image *copy, bool filled)
{
    if (!entry->on_gpu || kst_memory_is_device(image->memory))
        return image;
    *copy = *image;
    copy->memory = kst_context_gpu(batch->context)->gpu->backend->memory;
    copy->owned = NULL;
    for (uint32_t i = 0; i < image->plane_count; i++)
        copy->plane[i].data = NULL;
    entry->status = kst_image_allocate(batch->context, copy);
    if (!entry->status && filled)
        entry->status = kst_image_copy(batch->context, image, copy);
    return copy;
}

/* Describe the planes and the RGB. Planes that are smaller get a place to be enlarged to. */
static void view(struct ycbcr_entry *entry, const kst_image *planes, const kst_image *rgb)
{
    for (uint32_t i = 0; i < PLANES; i++)
        view_plane(planes, i, &entry->picture.image[i]);
    entry->picture.image[RGB] = *rgb;
    entry->picture.image[RGB].owned = NULL;
    for (uint32_t i = 0; i < CHROMAS; i++) {
        entry->small[i] = entry->picture.image[CHROMA + i];
        entry->chroma[i].memory = planes->memory;
    }
}

static kst_status prepare(struct ycbcr_batch *batch, struct ycbcr_entry *entry)
{
    const kst_image *from = entry->item->from;
    kst_image *to = entry->item->to;
    kst_image wanted;
    if (!from || !to || to->size < sizeof *to)
        return KST_ERROR_ARGUMENT;
    kst_status status = check_source(batch->context, from, &wanted);
    if (status)
        return status;
    const uint32_t depth = kst_plane_depth(&from->plane[0]);
    entry->picture.to_rgb = from->format != KST_FORMAT_RGB;
    if (!(entry->picture.to_rgb ? kst_filter_ycbcr_to_rgb : kst_filter_ycbcr_from_rgb)(
            batch->options, depth, &entry->picture.matrix))
        return KST_ERROR_OPTIONS;
    entry->on_gpu = kst_memory_is_device(from->memory) || kst_memory_is_device(to->memory);
    entry->result.to = to;
    status = kst_filter_result_begin(batch->context, &entry->memory, &wanted, &entry->result, entry->reason);
    if (!status && !entry->result.made)
        status = kst_image_check_apart(from, to);
    if (status)
        return status;
    const kst_image *source = place(batch, entry, from, &entry->from, true);
    const kst_image *target = entry->status ? to : place(batch, entry, to, &entry->to, false);
    view(entry, entry->picture.to_rgb ? source : target, entry->picture.to_rgb ? target : source);
    return entry->status;
}

static bool is_small(const struct ycbcr_entry *entry, uint32_t chroma)
{
    const kst_image *plane = &entry->small[chroma], *rgb = &entry->picture.image[RGB];
    return !entry->status && (plane->width < rgb->width || plane->height < rgb->height);
}

/* Enlarge all planes that are smaller than their pictures, by one call. */
static kst_status enlarge(struct ycbcr_batch *batch)
{
    kst_status status = KST_OK;
    struct memory *memory = &batch->context->memory;
    kst_resize_item *items = kst_memory_zeroed(memory, (size_t)batch->count * CHROMAS, sizeof *items, &status);
    kst_resize_options *options = kst_memory_zeroed(memory, batch->count, sizeof *options, &status);
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count && !status; i++) {
        struct ycbcr_entry *entry = &batch->entry[i];
        kst_resize_options_init(&options[i]);
        options[i].width = entry->picture.image[RGB].width;
        options[i].height = entry->picture.image[RGB].height;
        options[i].filter = KST_RESIZE_BILINEAR;
        for (uint32_t k = 0; k < CHROMAS; k++)
            if (is_small(entry, k))
                items[count++] =
                    (kst_resize_item){.from = &entry->small[k], .options = &options[i], .to = &entry->chroma[k]};
    }
    if (!status)
        kst_resize_batch(batch->context, items, count);
    count = 0;
    for (uint32_t i = 0; i < batch->count && !status; i++) {
        struct ycbcr_entry *entry = &batch->entry[i];
        const bool small[CHROMAS] = {is_small(entry, 0), is_small(entry, 1)};
        for (uint32_t k = 0; k < CHROMAS; k++) {
            if (!small[k])
                continue;
            entry->status = entry->status ? entry->status : items[count].report.status;
            entry->picture.image[CHROMA + k] = entry->chroma[k];
            count++;
        }
    }
    kst_memory_release(memory, options);
    kst_memory_release(memory, items);
    return status;
}

static void convert_on_cpu(struct ycbcr_batch *batch, struct ycbcr_entry *entry)
{
    kst_report *report = &entry->item->report;
    const struct operation operation = kst_context_operation(batch->context, &entry->memory, report, NULL);
    const struct filter_work work = {.context = batch->context, .operation = &operation};
    struct filter_ycbcr_pixels pixels = {.rgb = kst_filter_pixels_of(&entry->picture.image[RGB])};
    for (uint32_t i = 0; i < PLANES; i++)
        pixels.plane[i] = kst_filter_pixels_of(&entry->picture.image[i]);
    double start = kst_seconds();
    entry->status =
        (entry->picture.to_rgb ? kst_filter_ycbcr_join : kst_filter_ycbcr_part)(&work, &pixels, &entry->picture.matrix);
    kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    report->threads = kst_pool_threads(operation.pool);
}

/* Convert the next images on the device, as many as one call takes. Returns the index behind them. */
static uint32_t convert_on_gpu(struct ycbcr_batch *batch, uint32_t first)
{
    struct filter_gpu_ycbcr *picture[FILTER_YCBCR_TOGETHER];
    struct gpu_error error = {.status = KST_OK};
    uint32_t count = 0, end = first;
    double seconds = 0;
    for (; end < batch->count && count < FILTER_YCBCR_TOGETHER; end++)
        if (batch->entry[end].on_gpu && !batch->entry[end].status)
            picture[count++] = &batch->entry[end].picture;
    if (count == 0)
        return end;
    struct gpu_runtime *runtime = kst_context_gpu(batch->context);
    struct ycbcr_entry *head = &batch->entry[first];
    const struct operation operation = kst_context_operation(batch->context, &head->memory, &head->item->report, NULL);
    kst_status status = kst_filter_gpu_ycbcr(runtime, &operation, picture, count, &seconds, &error);
    for (uint32_t i = first; i < end; i++) {
        struct ycbcr_entry *entry = &batch->entry[i];
        if (!entry->on_gpu || entry->status)
            continue;
        entry->status = status;
        if (status && error.status == status)
            snprintf(entry->reason, sizeof entry->reason, "%s", error.text);
        entry->item->report.stage_device[KST_STAGE_PIXELS] = runtime->gpu->info.kind;
        entry->item->report.stage_seconds[KST_STAGE_PIXELS] = seconds / count;
    }
    return end;
}

static void convert(struct ycbcr_batch *batch)
{
    for (uint32_t i = 0; i < batch->count;)
        i = convert_on_gpu(batch, i);
    for (uint32_t i = 0; i < batch->count; i++)
        if (!batch->entry[i].on_gpu && !batch->entry[i].status)
            convert_on_cpu(batch, &batch->entry[i]);
}

/* Copy a result that belongs in host memory back, release everything else, and report. */
static kst_status finish(struct ycbcr_batch *batch, struct ycbcr_entry *entry)
{
    if (!entry->status && entry->to.plane[0].data)
        entry->status = kst_image_copy(batch->context, &entry->to, entry->item->to);
    kst_image_release(batch->context, &entry->from);
    kst_image_release(batch->context, &entry->to);
    for (uint32_t i = 0; i < CHROMAS; i++)
        kst_image_release(batch->context, &entry->chroma[i]);
    kst_filter_result_end(batch->context, &entry->memory, &entry->result, entry->status);
    return entry->status ? kst_report_error(&entry->item->report, entry->status, KST_NO_OFFSET,
                               entry->reason[0] ? "%s" : NULL, entry->reason)
                         : KST_OK;
}

static kst_status run(struct ycbcr_batch *batch, kst_filter_item *items)
{
    kst_status first = KST_OK;
    for (uint32_t i = 0; i < batch->count; i++) {
        struct ycbcr_entry *entry = &batch->entry[i];
        entry->item = &items[i];
        kst_report_init(&items[i].report);
        kst_image_init(&entry->from);
        kst_image_init(&entry->to);
        kst_image_init(&entry->chroma[0]);
        kst_image_init(&entry->chroma[1]);
        kst_memory_init_beside(&entry->memory, &batch->context->memory, batch->context->limits.memory);
        entry->status = prepare(batch, entry);
    }
    kst_status status = enlarge(batch);
    for (uint32_t i = 0; i < batch->count && status; i++)
        batch->entry[i].status = batch->entry[i].status ? batch->entry[i].status : status;
    convert(batch);
    for (uint32_t i = 0; i < batch->count; i++) {
        status = finish(batch, &batch->entry[i]);
        first = first ? first : status;
    }
    return first;
}

kst_status kst_filter_ycbcr(
    kst_context *context, kst_filter_item *items, size_t count, const kst_ycbcr_options *options)
{
    kst_ycbcr_options usual;
    kst_status status = KST_OK;
    kst_filter_ycbcr_options_init(&usual);
    if (!context || (!items && count > 0) || count > UINT32_MAX || (options && options->size < sizeof *options))
        return KST_ERROR_ARGUMENT;
    if (count == 0)
        return KST_OK;
    struct ycbcr_batch batch = {context, options ? options : &usual, NULL, (uint32_t)count};
    batch.entry = kst_memory_zeroed(&context->memory, count, sizeof *batch.entry, &status);
    if (!batch.entry)
        return status;
    status = run(&batch, items);
    kst_memory_release(&context->memory, batch.entry);
    return status;
}
