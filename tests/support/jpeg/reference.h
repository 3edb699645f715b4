/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries out a decoder's last steps in plain C: resampling and colour, from the planes that libjpeg decodes. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_REFERENCE_H
#define KOSTKA_TESTS_SUPPORT_JPEG_REFERENCE_H

#include "support/jpeg/libjpeg_decode.h"

/*
 * Make the picture in GREY, RGB or CMYK from planes whose colour is `coded`. This covers what libjpeg refuses: ratios
 * of sampling factors that are no integers, with which each pixel takes the sample at or before its place.
 */
void reference_picture(
    const struct libjpeg_planes *planes, kst_colour coded, kst_format format, struct libjpeg_picture *picture);

/* Convert inverted CMYK to RGB. */
void reference_cmyk_to_rgb(const uint8_t cmyk[4], uint8_t rgb[3]);

#endif
