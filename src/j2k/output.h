/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoding gives: from options to an image and to a filter. */
#ifndef KOSTKA_J2K_OUTPUT_H
#define KOSTKA_J2K_OUTPUT_H

#include "j2k/build.h"
#include "j2k/channels.h"

/*
 * Describe the image and what of the stream it needs. RAW: the first four components, each of its own size, depth and
 * sign. KST_ERROR_OPTIONS, KST_ERROR_REGION, KST_ERROR_J2K_COLOUR, KST_ERROR_IMAGE_DEPTH (more than 16 bits) or
 * KST_ERROR_IMAGE_SIZE (a component without samples).
 */
kst_status kst_j2k_output_describe(
    const struct j2k_stream *stream, const kst_decode_options *options, kst_image *image, struct j2k_filter *filter);

#endif
