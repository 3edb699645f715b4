/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the framework's descriptions of pixels become images of Kostka. */
#ifndef KOSTKA_NVIMAGECODEC_PIXELS_H
#define KOSTKA_NVIMAGECODEC_PIXELS_H

#include <kostka/kostka.h>
#include <nvimgcodec.h>

/*
 * Find the format that a description of pixels stands for.
 * @return NVIMGCODEC_PROCESSING_STATUS_SUCCESS, or why Kostka has none
 */
nvimgcodecProcessingStatus_t pixels_format(const nvimgcodecImageInfo_t *info, kst_codec codec, kst_format *format);

/* Return the bits that samples of a description have at most, 8, 16 or 32; 0: they are no integers that Kostka has. */
uint32_t pixels_bits(const nvimgcodecImageInfo_t *info);

bool pixels_signed(const nvimgcodecImageInfo_t *info);

/* Describe the framework's buffer as an image of samples of `depth` bits. Planes of blue, green and red are exchanged.
 */
void pixels_image(const nvimgcodecImageInfo_t *info, kst_format format, uint32_t depth, kst_image *image);

/* Narrow samples in host memory to 8 bits, by leaving out the lowest ones. Both images have the same planes. */
void pixels_narrow(const kst_image *from, const kst_image *to);

#endif
