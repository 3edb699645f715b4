/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what is to be resized, and plans the passes. */
#include "resize/plan.h"

#include "image/validate.h"

enum { DEPTH_MAX = 16 };

/* Check that an image's planes are of one size, and of samples that can be resized. */
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

kst_status kst_resize_target(
    const kst_image *from, const kst_resize_options *options, struct resize_geometry *geometry, kst_image *to)
{
    kst_status status = check_source(from);
    if (!status)
        status = kst_resize_geometry(options, from->width, from->height, geometry);
    if (status)
        return status;
    kst_image_init(to);
    to->format = from->format;
    to->colour = kst_pixel_layout(from->format)->planes ? from->colour : kst_pixel_layout(from->format)->colour;
    to->plane_count = from->plane_count;
    to->width = geometry->x.count;
    to->height = geometry->y.count;
    for (uint32_t i = 0; i < to->plane_count; i++) {
        kst_plane *plane = &to->plane[i];
        *plane = (kst_plane){.width = to->width, .height = to->height, .depth = from->plane[i].depth};
        plane->pitch = (ptrdiff_t)to->width * kst_format_samples(to->format) * kst_plane_sample_bytes(plane);
    }
    return KST_OK;
}

static bool is_wide(const kst_image *image)
{
    return kst_plane_sample_bytes(&image->plane[0]) > 1;
}

/* Compute the weights of an axis if it changes, count windows from what is needed first, and give that. */
static kst_status plan_axis(struct memory *memory, const struct resize_axis *axis, kst_resize_filter filter, int bits,
    struct resize_weights *weights, struct resize_span *span)
{
    *span = (struct resize_span){0, axis->size};
    if (kst_resize_is_same(axis))
        return KST_OK;
    kst_status status = kst_resize_weights_make(memory, axis, filter, bits, weights);
    if (status)
        return status;
    const struct resize_window *last = &weights->window[weights->count - 1];
    span->first = weights->window[0].first;
    span->count = last->first + last->length - span->first;
    for (uint32_t i = 0; i < weights->count; i++)
        weights->window[i].first -= span->first;
    return KST_OK;
}

/* The rule of Pillow 13, which compares whole images even where a box is given. */
static bool shrinks_down(const struct resize_geometry *geometry)
{
    int64_t rows = (int64_t)geometry->y.size - geometry->y.count,
            columns = (int64_t)geometry->x.size - geometry->x.count;
    return rows > 0 && rows > 2 * columns;
}

kst_status kst_resize_plan_make(struct memory *memory, const kst_image *from, const kst_resize_options *options,
    const struct resize_geometry *geometry, struct resize_plan *plan)
{
    int bits = is_wide(from) ? RESIZE_BITS_WIDE : RESIZE_BITS;
    *plan = (struct resize_plan){.width = geometry->x.count, .mirror = options->mirror};
    kst_status status = plan_axis(memory, &geometry->x, options->filter, bits, &plan->across, &plan->columns);
    if (!status)
        status = plan_axis(memory, &geometry->y, options->filter, bits, &plan->down, &plan->rows);
    bool both = plan->across.weight && plan->down.weight, one = plan->across.weight || plan->down.weight;
    plan->weighed = one && kst_pixel_layout(from->format)->alpha;
    plan->down_first = both && options->order == KST_RESIZE_ORDER_AUTO && shrinks_down(geometry);
    return status;
}

void kst_resize_plan_drop(struct memory *memory, struct resize_plan *plan)
{
    kst_resize_weights_drop(memory, &plan->across);
    kst_resize_weights_drop(memory, &plan->down);
}

/* The bytes from the first to the last of a checked plane. */
static void bytes_of(const kst_plane *plane, kst_format format, uintptr_t *first, uintptr_t *end)
{
    size_t row, extent;
    kst_plane_extent(plane, format, &row, &extent);
    *first = (uintptr_t)plane->data;
    if (plane->pitch < 0 && plane->height > 1)
        *first -= extent - row;
    *end = *first + extent;
}

kst_status kst_resize_check_apart(const kst_image *a, const kst_image *b)
{
    for (uint32_t i = 0; i < a->plane_count; i++) {
        for (uint32_t k = 0; k < b->plane_count; k++) {
            uintptr_t first[2], end[2];
            bytes_of(kst_image_plane(a, i), a->format, &first[0], &end[0]);
            bytes_of(kst_image_plane(b, k), b->format, &first[1], &end[1]);
            if (first[0] < end[1] && first[1] < end[0])
                return KST_ERROR_IMAGE_OVERLAP;
        }
    }
    return KST_OK;
}
