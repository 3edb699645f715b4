/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares which part of an image is resized to which size, by the options of resizing. */
#ifndef KOSTKA_RESIZE_GEOMETRY_H
#define KOSTKA_RESIZE_GEOMETRY_H

#include <kostka/kostka.h>

/* Describes one direction of an image: the samples from `begin` to `end`, of `size` in all, become `count`. */
struct resize_axis {
    uint32_t size;
    uint32_t count;
    double begin;
    double end;
};

struct resize_geometry {
    struct resize_axis x;
    struct resize_axis y;
};

/*
 * Check the options, and compute the geometry for an image. Errors are those of kst_resize() about its options and box.
 */
kst_status kst_resize_geometry(
    const kst_resize_options *options, uint32_t width, uint32_t height, struct resize_geometry *geometry);

/* Return whether the axis leaves the samples as they are. */
static inline bool kst_resize_is_same(const struct resize_axis *axis)
{
    return axis->count == axis->size && axis->begin <= 0 && axis->end >= axis->size;
}

#endif
