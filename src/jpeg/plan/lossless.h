/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans the picture that a stream of the lossless process (T.81 H) gives: samples of 2 to 16 bits, in the size and the
 * sampling in which they are coded. Nothing is reduced or resampled.
 */
#ifndef KOSTKA_JPEG_PLAN_LOSSLESS_H
#define KOSTKA_JPEG_PLAN_LOSSLESS_H

#include "jpeg/plan/output.h"

/*
 * Describe the picture that `options` ask for, as kst_jpeg_output_describe() does. If the components differ in size,
 * only RAW is possible; if the samples do not have 8 bits, formats whose colours would have to be computed are not.
 * KST_FORMAT_AUTO chooses RAW if its usual format is not possible. Errors are KST_ERROR_OPTIONS, KST_ERROR_REGION
 * and KST_ERROR_JPEG_COLOUR.
 */
kst_status kst_jpeg_lossless_describe(
    const struct jpeg_frame *frame, const kst_decode_options *options, kst_image *image);

/* Plan the output into an image that matches the description. Members that scaling and MCUs need are not set. */
void kst_jpeg_lossless_plan(struct jpeg_output *output, const struct jpeg_frame *frame,
    const kst_decode_options *options, const kst_image *image);

#endif
