/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the translation of the framework's descriptions of pixels to Kostka's images. */
#ifndef KOSTKA_NVIMAGECODEC_PIXELS_H
#define KOSTKA_NVIMAGECODEC_PIXELS_H

#include <kostka/kostka.h>
#include <nvimgcodec.h>

/* Find the format for a description of pixels. @return NVIMGCODEC_PROCESSING_STATUS_SUCCESS, or why Kostka has none */
nvimgcodecProcessingStatus_t pixels_format(const nvimgcodecImageInfo_t *info, kst_codec codec, kst_format *format);

/*
 * Return the number of bits that samples of a description have room for, 8, 16 or 32; 0: they are not integers that
 * Kostka supports.
 */
uint32_t pixels_bits(const nvimgcodecImageInfo_t *info);

bool pixels_signed(const nvimgcodecImageInfo_t *info);

/*
 * Describe the framework's buffer as an image with samples of `depth` bits. For planes in the order blue, green and
 * red, blue and red are exchanged.
 */
void pixels_image(const nvimgcodecImageInfo_t *info, kst_format format, uint32_t depth, kst_image *image);

/* Narrow samples in host memory to 8 bits, by dropping the lowest bits. Both images have the same planes. */
void pixels_narrow(const kst_image *from, const kst_image *to);

#endif
