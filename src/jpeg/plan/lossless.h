/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans what the lossless process (T.81 H) gives: samples of 2 to 16 bits, in the size and the sampling that they are
 * coded in. Nothing is reduced or resampled.
 */
#ifndef KOSTKA_JPEG_PLAN_LOSSLESS_H
#define KOSTKA_JPEG_PLAN_LOSSLESS_H

#include "jpeg/plan/output.h"

/*
 * Describe the picture that `options` ask for, as kst_jpeg_output_describe() does. Components of different sizes are
 * RAW unless they are one; so are, unless the samples have 8 bits, colours that have to be computed. Errors are
 * KST_ERROR_OPTIONS, KST_ERROR_REGION and KST_ERROR_JPEG_COLOUR.
 */
kst_status kst_jpeg_lossless_describe(
    const struct jpeg_frame *frame, const kst_decode_options *options, kst_image *image);

/* Plan the output into an image that matches the description. Members that scaling and MCUs need are not set. */
void kst_jpeg_lossless_plan(struct jpeg_output *output, const struct jpeg_frame *frame,
    const kst_decode_options *options, const kst_image *image);

#endif
