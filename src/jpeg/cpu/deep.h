/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the decoding of deep pictures: those of the processes with a DCT whose samples have 12 bits (T.81 table
 * B.2). They share coefficients with pictures of 8 bits; samples are 16 bits wide from the inverse DCT on.
 */
#ifndef KOSTKA_JPEG_CPU_DEEP_H
#define KOSTKA_JPEG_CPU_DEEP_H

#include "core/operation.h"
#include "jpeg/plan/output.h"
#include "jpeg/plan/plan.h"

/*
 * Decode a picture into an image as kst_jpeg_output_describe() describes it, like kst_jpeg_cpu_decode(), with the
 * accurate DCT.
 */
kst_status kst_jpeg_cpu_deep_decode(const struct operation *op, const struct jpeg_plan *plan,
    const kst_decode_options *options, const kst_image *image);

#endif
