/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks images to resize, and plans the passes. */
#include "resize/plan.h"

#include "image/location.h"
#include "image/validate.h"

enum { DEPTH_MAX = 16 };

/* Check that an image's planes have one size, and samples that can be resized. */
static kst_status check_source(const kst_image *image)
{
    kst_status status = kst_image_check_shape(image);
    if (status)
        return status;
    if (image->plane_count > KST_IMAGE_PLANES_MAX)
        return KST_ERROR_IMAGE_SIZE;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        if (plane->width != image->width || plane->height != image->height)
            return KST_ERROR_IMAGE_SIZE;
        if (plane->sample != KST_SAMPLE_INTEGER)
            return KST_ERROR_IMAGE_SAMPLE;
        if (plane->is_signed || kst_plane_depth(plane) > DEPTH_MAX ||
            kst_plane_sample_bytes(plane) != kst_plane_sample_bytes(&image->plane[0]))
            return KST_ERROR_IMAGE_DEPTH;
    }
    return KST_OK;
}

/* Set the format of the result: that of the image, or planes of its channels. */
static kst_status set_format(const kst_image *from, const kst_resize_options *options, kst_image *to)
{
    const struct pixel_layout *layout = kst_pixel_layout(from->format);
    bool separates = options->format == KST_FORMAT_PLANAR && !layout->planes;
    to->format = separates ? KST_FORMAT_PLANAR : from->format;
    to->colour = layout->planes ? from->colour : layout->colour;
    to->plane_count = separates ? layout->channels : from->plane_count;
    return options->format == KST_FORMAT_AUTO || options->format == to->format ? KST_OK : KST_ERROR_IMAGE_FORMAT;
}

kst_status kst_resize_target(
    const kst_image *from, const kst_resize_options *options, struct resize_geometry *geometry, kst_image *to)
{
    kst_status status = check_source(from);
    if (!status)
        status = kst_resize_geometry(options, from->width, from->height, geometry);
    kst_image_init(to);
    if (!status)
        status = set_format(from, options, to);
    if (status)
        return status;
    to->width = geometry->x.count;
    to->height = geometry->y.count;
    for (uint32_t i = 0; i < to->plane_count; i++) {
        kst_plane *plane = &to->plane[i];
        *plane = (kst_plane){.width = to->width,
            .height = to->height,
            .depth = from->plane[from->plane_count > 1 ? i : 0].depth,
            .sample = (uint8_t)options->sample};
        plane->pitch = (ptrdiff_t)to->width * kst_format_samples(to->format) * kst_plane_sample_bytes(plane);
    }
    return KST_OK;
}

bool kst_resize_is_wide(const kst_image *image)
{
    return kst_plane_sample_bytes(&image->plane[0]) > 1;
}

/*
 * Compute the weights of an axis unless it leaves samples as they are. *span receives the samples that are needed;
 * windows are counted from the first of them.
 */
static kst_status plan_axis(struct memory *memory, const struct resize_axis *axis, kst_resize_filter filter, int bits,
    struct resize_weights *weights, struct resize_span *span)
{
    *span = kst_resize_needed(axis, filter);
    if (kst_resize_is_same(axis))
        return KST_OK;
    kst_status status = kst_resize_weights_make(memory, axis, filter, bits, weights);
    if (status)
        return status;
    for (uint32_t i = 0; i < weights->count; i++)
        weights->window[i].first -= span->first;
    return KST_OK;
}

/* Apply the rule of Pillow 13, which compares whole images even where a box is given. */
static bool shrinks_down(const struct resize_geometry *geometry)
{
    int64_t rows = (int64_t)geometry->y.size - geometry->y.count,
            columns = (int64_t)geometry->x.size - geometry->x.count;
    return rows > 0 && rows > 2 * columns;
}

struct resize_passes kst_resize_passes_of(
    const kst_image *from, const kst_resize_options *options, const struct resize_geometry *geometry)
{
    bool across = !kst_resize_is_same(&geometry->x), down = !kst_resize_is_same(&geometry->y);
    return (struct resize_passes){.across = across,
        .down = down,
        .down_first = across && down && options->order == KST_RESIZE_ORDER_AUTO && shrinks_down(geometry),
        .weighed = (across || down) && kst_pixel_layout(from->format)->alpha,
        .mirror = options->mirror};
}

kst_status kst_resize_plan_make(struct memory *memory, const kst_image *from, const kst_resize_options *options,
    const struct resize_geometry *geometry, struct resize_plan *plan)
{
    int bits = kst_resize_is_wide(from) ? RESIZE_BITS_WIDE : RESIZE_BITS;
    *plan = (struct resize_plan){.width = geometry->x.count, .passes = kst_resize_passes_of(from, options, geometry)};
    kst_status status = plan_axis(memory, &geometry->x, options->filter, bits, &plan->across, &plan->columns);
    if (!status)
        status = plan_axis(memory, &geometry->y, options->filter, bits, &plan->down, &plan->rows);
    return status;
}

void kst_resize_plan_drop(struct memory *memory, struct resize_plan *plan)
{
    kst_resize_weights_drop(memory, &plan->across);
    kst_resize_weights_drop(memory, &plan->down);
}
