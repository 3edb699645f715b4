/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the images that filters read are checked, and the images that they write are made. */
#ifndef KOSTKA_FILTERS_IMAGES_H
#define KOSTKA_FILTERS_IMAGES_H

#include "filters/filter.h"

/*
 * Check that filters take images of this format, depth and kind of samples, in any memory. `reason` receives text about
 * a wrong format.
 */
kst_status kst_filter_image_kind(const kst_image *image, char reason[FILTER_REASON]);

/* Check an image that is read: its shape, and its buffer or its device. */
kst_status kst_filter_image_check(kst_context *context, const kst_image *image);

/* Describes an image that is written. */
struct filter_result {
    kst_image *to;
    kst_image before; /* as the caller described it */
    bool made;        /* the buffer was allocated here */
};

/* Check that the caller's image is as `wanted`, or make it so if it has no buffer; `memory` is charged. */
kst_status kst_filter_result_begin(kst_context *context, struct memory *memory, const kst_image *wanted,
    struct filter_result *result, char reason[FILTER_REASON]);

/* Keep an image that was made, or after a failure release it, and restore its description. */
void kst_filter_result_end(
    kst_context *context, struct memory *memory, struct filter_result *result, kst_status status);

#endif
