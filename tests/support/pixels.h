/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes streams for tests that compare pictures with pictures. */
#ifndef KOSTKA_TESTS_SUPPORT_PIXELS_H
#define KOSTKA_TESTS_SUPPORT_PIXELS_H

#include "support/jpeg/streams.h"

/* Decode into an image of the library's, failing the test on an error. kst_image_release() it. */
kst_image decode_image(kst_context *context, const struct stream *stream, const kst_decode_options *options);

/* The first byte of a pixel of a plane, or of one sample of it. */
const uint8_t *image_at(const kst_image *image, uint32_t plane, uint32_t x, uint32_t y);

/* Return the number of bytes of one pixel: the channels, 1 where there is a plane for each. */
uint32_t pixel_bytes(const kst_image *image);

/* Return whether `part` is what `whole`, a picture in the same format, has from each plane's x, y on. */
bool is_part(const kst_image *part, const kst_image *whole, const uint32_t x[4], const uint32_t y[4]);

/* Return whether two pictures have the same format, size and samples. */
bool same_picture(const kst_image *a, const kst_image *b);

#endif
