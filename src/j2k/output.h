/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoding gives: from options to an image and to a filter. */
#ifndef KOSTKA_J2K_OUTPUT_H
#define KOSTKA_J2K_OUTPUT_H

#include "j2k/build.h"
#include "j2k/channels.h"

enum { J2K_OUTPUT_DEPTH = 31, J2K_OUTPUT_PLANES = 4 }; /* bits of a sample; planes in the image itself */

/*
 * Describe the image and what of the stream it needs. RAW: the components that are asked for, each of its own size,
 * depth and sign; the planes behind the first four go to `more`, which has room for as many as there are components
 * behind the first four, and the image then points there. KST_ERROR_OPTIONS, KST_ERROR_REGION, KST_ERROR_J2K_COLOUR,
 * KST_ERROR_IMAGE_DEPTH (more than J2K_OUTPUT_DEPTH bits) or KST_ERROR_IMAGE_SIZE (a component without samples).
 */
kst_status kst_j2k_output_describe(const struct j2k_stream *stream, const kst_decode_options *options, kst_image *image,
    kst_plane *more, struct j2k_filter *filter);

/* The component that plane `index` of a RAW image holds. */
uint32_t kst_j2k_output_component(const kst_decode_options *options, uint32_t index);

#endif
