/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the translation of TurboJPEG's pixel formats, colours and sampling to Kostka's. */
#ifndef KOSTKA_COMPAT_TURBOJPEG_PICTURE_H
#define KOSTKA_COMPAT_TURBOJPEG_PICTURE_H

#include <kostka/kostka.h>

#include "turbojpeg.h"

/* The sampling factors of luminance for each TJSAMP; those of chrominance are 1. */
extern const struct turbojpeg_factors {
    uint8_t h, v;
} turbojpeg_factors[TJSAMP_COUNT];

/*
 * Describes a pixel format. Kostka has none with alpha as the first byte: such pixels are those of `format` rotated by
 * a byte.
 */
extern const struct turbojpeg_pixel {
    kst_format format;
    int size;
    bool turned;
} turbojpeg_pixels[TJPF_COUNT];

/* Return Kostka's colour for a TJCS; KST_COLOUR_UNKNOWN for invalid values. */
kst_colour turbojpeg_colour(int colour);

/* Return a side of the scaled picture, rounded up. */
int turbojpeg_scaled(int side, tjscalingfactor factor);

uint32_t turbojpeg_eighths(tjscalingfactor factor);

/* Describe a picture in the caller's memory. With a pitch of 0 rows have no padding. */
void turbojpeg_wrap(
    kst_image *image, const unsigned char *pixels, int width, int pitch, int height, int format, bool bottom_up);

#endif
