/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how filters take images that have a plane for each channel. Filters themselves work on interleaved pixels,
 * so planes are woven into such before a chain, and the result is parted behind it. A single plane is grey as it is.
 */
#ifndef KOSTKA_FILTERS_PLANES_H
#define KOSTKA_FILTERS_PLANES_H

#include "filters/filter.h"

/* Return whether an image has more than one plane. */
bool kst_filter_is_planar(const kst_image *image);

/*
 * Check that the planes of an image are grey, R, G and B, or these and alpha, all of the image's size and of one depth.
 * Its shape has been checked. `reason` receives text about a wrong format.
 */
kst_status kst_filter_planes_check(const kst_image *image, char reason[FILTER_REASON]);

/* Give the description of an image without a buffer a plane for each channel. */
void kst_filter_planes_describe(kst_image *image);

/* Return `image`, or if it has a single plane a description of it as GREY, in *grey. */
const kst_image *kst_filter_as_grey(const kst_image *image, kst_image *grey);

/* Return the samples of a plane, as those of an image in grey. */
struct filter_pixels kst_filter_plane_of(const kst_image *image, uint32_t index);

/* Copy an image in host memory to one with the same channels; one of the two has planes, the other is interleaved. */
kst_status kst_filter_planes_copy(const struct operation *operation, const kst_image *from, const kst_image *to);

#endif
