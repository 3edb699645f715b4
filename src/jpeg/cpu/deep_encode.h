/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the encoding of deep pictures, whose samples have 12 bits. */
#ifndef KOSTKA_JPEG_CPU_DEEP_ENCODE_H
#define KOSTKA_JPEG_CPU_DEEP_ENCODE_H

#include "jpeg/cpu/encode.h"

/*
 * Write a whole file that holds a picture in memory, like kst_jpeg_cpu_write_picture(). Samples above the largest value
 * of 12 bits count as that value. Of the sampler, which was set up for the encoding's frame, only the image and the
 * factors are used.
 */
kst_status kst_jpeg_cpu_deep_write_picture(const struct operation *op, const struct jpeg_encoding *encoding,
    const struct jpeg_sampler *sampler, struct sink *sink);

#endif
