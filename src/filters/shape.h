/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the conversion of descriptions of images to those that filters use, and back. */
#ifndef KOSTKA_FILTERS_SHAPE_H
#define KOSTKA_FILTERS_SHAPE_H

#include "filters/filter.h"

/* Return the size, format and depth of an image; the format of one with planes is that of the same channels woven. */
struct filter_shape kst_filter_shape_of(const kst_image *image);

/* Describe an image without a buffer, with a tight pitch. */
void kst_filter_shape_image(const struct filter_shape *shape, kst_image *image);

/* Return the pixels of an image without planes, or those of a single plane. Pixels in device memory have no address. */
struct filter_pixels kst_filter_pixels_of(const kst_image *image);

#endif
