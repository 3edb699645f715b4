/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000 behind a decoder. */
#ifndef KOSTKA_API_J2K_DECODE_H
#define KOSTKA_API_J2K_DECODE_H

#include "api/decoding.h"
#include "j2k/packets/build.h"

/* Parse the stream and describe it in decoder->info and decoder->metadata. On failure nothing is left of it. */
kst_status kst_j2k_open(kst_decoder *decoder, const uint8_t *data, size_t length);

/*
 * Read the headers of tile-parts that a filter needs, null: of all, if opening has left them for later. What is wrong
 * with them is told now and by each decoding from now on.
 */
kst_status kst_j2k_open_further(kst_decoder *decoder, const struct j2k_filter *filter);

/* The error for samples that are too deep: which component's, and where SIZ says so. */
kst_status kst_j2k_refuse_depth(kst_decoder *decoder, const kst_decode_options *options);

/*
 * Whether smaller components and palettes are not enlarged to more samples than the stream's length allows; what the
 * caller makes of a channel, as RGB of grey, is the caller's.
 */
kst_status kst_j2k_check_enlarged(kst_decoder *decoder, const kst_image *image);

/* Decode to an image in host memory, which has what kst_j2k_output_describe() says. */
kst_status kst_j2k_decode(
    kst_decoder *decoder, const kst_decode_options *options, const kst_image *image, struct progress *progress);

#endif
