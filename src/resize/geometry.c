/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the boxes and sizes of resizing from its options. */
#include "resize/geometry.h"

#include <math.h>

static const uint32_t MOST = INT32_MAX; /* the longest side of a result */

/* Round an edge to binary32, unless it is a whole number. */
static double rounded_edge(double edge)
{
    return edge == floor(edge) ? edge : (double)(float)edge;
}

/* Return whether a range lies within a size and is not empty. The comparisons are false for NaN, too. */
static bool is_inside(double begin, double end, uint32_t size)
{
    return begin >= 0 && end <= size && begin < end;
}

static kst_status set_box(kst_resize_box box, struct resize_geometry *geometry)
{
    struct resize_axis *x = &geometry->x, *y = &geometry->y;
    bool whole = box.left == 0 && box.top == 0 && box.right == 0 && box.bottom == 0;
    x->begin = rounded_edge(box.left);
    x->end = whole ? x->size : rounded_edge(box.right);
    y->begin = rounded_edge(box.top);
    y->end = whole ? y->size : rounded_edge(box.bottom);
    return is_inside(x->begin, x->end, x->size) && is_inside(y->begin, y->end, y->size) ? KST_OK : KST_ERROR_REGION;
}

/*
 * Set the count to the whole number nearest to a length, ties to even, and at least 1. Returns false if it is too
 * large.
 */
static bool set_count(struct resize_axis *axis, double length)
{
    double nearest = rint(length);
    if (!(nearest <= MOST))
        return false;
    axis->count = nearest < 1 ? 1 : (uint32_t)nearest;
    return true;
}

static double length_of(const struct resize_axis *axis)
{
    return axis->end - axis->begin;
}

/* Compute one side from the other one and the aspect ratio. */
static bool follow(struct resize_axis *side, const struct resize_axis *other)
{
    return set_count(side, length_of(side) / length_of(other) * other->count);
}

static bool shrink_to_aspect(struct resize_axis *x, struct resize_axis *y)
{
    double is = length_of(x) / length_of(y), wanted = (double)x->count / y->count;
    if (is > wanted)
        return follow(y, x);
    return is < wanted ? follow(x, y) : true;
}

/* Cut an axis to a length, from the middle. */
static void cut(struct resize_axis *axis, double length)
{
    double begin = axis->begin + (length_of(axis) - length) * 0.5, end = begin + length;
    axis->end = fmin(rounded_edge(end), axis->end);
    axis->begin = fmax(rounded_edge(begin), axis->begin);
}

static void crop_to_aspect(struct resize_axis *x, struct resize_axis *y)
{
    double is = length_of(x) / length_of(y), wanted = (double)x->count / y->count;
    if (is > wanted)
        cut(x, wanted * length_of(y));
    else if (is < wanted)
        cut(y, length_of(x) / wanted);
}

static kst_status set_size(const kst_resize_options *options, struct resize_geometry *geometry)
{
    struct resize_axis *x = &geometry->x, *y = &geometry->y;
    bool fits = options->width <= MOST && options->height <= MOST;
    x->count = options->width;
    y->count = options->height;
    if (!x->count && !y->count)
        return KST_ERROR_OPTIONS;
    if (!x->count)
        fits = fits && follow(x, y);
    else if (!y->count)
        fits = fits && follow(y, x);
    else if (options->fit == KST_RESIZE_INSIDE)
        fits = fits && shrink_to_aspect(x, y);
    else if (options->fit == KST_RESIZE_COVER)
        crop_to_aspect(x, y);
    return fits ? KST_OK : KST_ERROR_IMAGE_SIZE;
}

kst_status kst_resize_geometry(
    const kst_resize_options *options, uint32_t width, uint32_t height, struct resize_geometry *geometry)
{
    *geometry = (struct resize_geometry){.x.size = width, .y.size = height};
    if (options->size != sizeof *options || (unsigned)options->fit > KST_RESIZE_COVER ||
        (unsigned)options->filter > KST_RESIZE_LANCZOS || (unsigned)options->order > KST_RESIZE_ORDER_HORIZONTAL ||
        (unsigned)options->sample > KST_SAMPLE_FLOAT32)
        return KST_ERROR_OPTIONS;
    kst_status status = set_box(options->box, geometry);
    if (!status)
        status = set_size(options, geometry);
    /* The remaining part of a box may be so thin that it vanishes when its edges are rounded. */
    if (!status && !(is_inside(geometry->x.begin, geometry->x.end, width) &&
                       is_inside(geometry->y.begin, geometry->y.end, height)))
        status = KST_ERROR_REGION;
    return status;
}
