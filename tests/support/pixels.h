/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes streams for tests that compare pictures with pictures. */
#ifndef KOSTKA_TESTS_SUPPORT_PIXELS_H
#define KOSTKA_TESTS_SUPPORT_PIXELS_H

#include "support/jpeg/streams.h"

/* Decode into an image of the library's, which kst_image_release() releases. The test fails on an error. */
kst_image decode_image(kst_context *context, const struct stream *stream, const kst_decode_options *options);

/* Return the address of a pixel of a plane or, where planes hold one channel each, of a sample. */
const uint8_t *image_at(const kst_image *image, uint32_t plane, uint32_t x, uint32_t y);

/* Return the bytes of one pixel: the number of channels, or 1 where each channel has a plane. */
uint32_t pixel_bytes(const kst_image *image);

/* Return whether `part` equals `whole`, a picture of the same format, from each plane's x, y on. */
bool is_part(const kst_image *part, const kst_image *whole, const uint32_t x[4], const uint32_t y[4]);

/* Return whether two pictures have the same format, size and samples. */
bool same_picture(const kst_image *a, const kst_image *b);

#endif
