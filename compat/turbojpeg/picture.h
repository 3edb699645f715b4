/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how TurboJPEG's pixels, colours and sampling are named by Kostka. */
#ifndef KOSTKA_COMPAT_TURBOJPEG_PICTURE_H
#define KOSTKA_COMPAT_TURBOJPEG_PICTURE_H

#include <kostka/kostka.h>

#include "turbojpeg.h"

/* The sampling factors of luminance for each TJSAMP; those of chrominance are 1. */
extern const struct turbojpeg_factors {
    uint8_t h, v;
} turbojpeg_factors[TJSAMP_COUNT];

/*
 * A format of pixels. Kostka has none with alpha in front: such pixels are those of `format` turned by a byte.
 */
extern const struct turbojpeg_pixel {
    kst_format format;
    int size;
    bool turned;
} turbojpeg_pixels[TJPF_COUNT];

/* Return TJCS_… as Kostka's colour; KST_COLOUR_UNKNOWN for other values. */
kst_colour turbojpeg_colour(int colour);

/* Return a side of the picture at a size, rounded up. */
int turbojpeg_scaled(int side, tjscalingfactor factor);

uint32_t turbojpeg_eighths(tjscalingfactor factor);

/* Describe a picture in the caller's memory. A pitch of 0 stands for the width. */
void turbojpeg_wrap(
    kst_image *image, const unsigned char *pixels, int width, int pitch, int height, int format, bool bottom_up);

#endif
