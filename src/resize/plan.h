/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the plan of resizing an image: the passes, with their weights. */
#ifndef KOSTKA_RESIZE_PLAN_H
#define KOSTKA_RESIZE_PLAN_H

#include "resize/weights.h"

/* Describes the passes over an image. */
struct resize_passes {
    bool across;     /* columns change */
    bool down;       /* rows change */
    bool down_first; /* both change, and rows are resized vertically first */
    bool weighed;    /* colours are multiplied by their alpha, because there is a pass */
    bool mirror;
};

/* Holds a plan. Windows are counted from the first column and row that are needed. */
struct resize_plan {
    struct resize_weights across; /* of columns; null weights: columns stay as they are */
    struct resize_weights down;   /* of rows; likewise */
    struct resize_span columns;
    struct resize_span rows;
    uint32_t width; /* of the result */
    struct resize_passes passes;
};

/*
 * Describe the image that resizing makes; see kst_resize_describe(). `geometry` receives the geometry that the
 * description follows from.
 */
kst_status kst_resize_target(
    const kst_image *from, const kst_resize_options *options, struct resize_geometry *geometry, kst_image *to);

/* Return the passes that make such an image of `from`; `geometry` has the size of the whole image. */
struct resize_passes kst_resize_passes_of(
    const kst_image *from, const kst_resize_options *options, const struct resize_geometry *geometry);

/* Return whether samples take two bytes. */
bool kst_resize_is_wide(const kst_image *image);

/*
 * Plan to make such an image of `from`. KST_ERROR_MEMORY, KST_ERROR_LIMIT_MEMORY; the plan must be dropped in any case.
 */
kst_status kst_resize_plan_make(struct memory *memory, const kst_image *from, const kst_resize_options *options,
    const struct resize_geometry *geometry, struct resize_plan *plan);
void kst_resize_plan_drop(struct memory *memory, struct resize_plan *plan);

#endif
