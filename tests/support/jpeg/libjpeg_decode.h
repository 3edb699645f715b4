/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the oracle for decoding: what libjpeg decodes a stream to with its default settings. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_LIBJPEG_DECODE_H
#define KOSTKA_TESTS_SUPPORT_JPEG_LIBJPEG_DECODE_H

#include <kostka/kostka.h>

struct libjpeg_picture {
    uint32_t width, height;
    uint32_t channels;
    uint8_t *pixels; /* interleaved, rows without padding */
    long warnings;
};

/*
 * Decode at 1/2^reduce of the size to GREY, RGB, BGR, RGBA, BGRA or CMYK; AUTO stands for the stream's own format.
 * Returns false if libjpeg refuses the stream or the conversion.
 */
bool libjpeg_decode(
    const uint8_t *data, size_t length, kst_format format, uint32_t reduce, struct libjpeg_picture *picture);
/* Do the same with the format, size, transform and upsampling of kst_decode_options. */
bool libjpeg_decode_as(
    const uint8_t *data, size_t length, const kst_decode_options *options, struct libjpeg_picture *picture);
void libjpeg_picture_release(struct libjpeg_picture *picture);

/* Holds the components as the inverse transform returns them. */
struct libjpeg_planes {
    uint32_t components;
    uint32_t picture_width, picture_height; /* reduced */
    uint32_t h[4], v[4], hmax, vmax;        /* sampling factors */
    uint32_t block[4];                      /* samples on a side of a block, 1–8 */
    uint32_t width[4], height[4];           /* samples that the picture has */
    uint32_t pitch[4];
    uint8_t *plane[4];
    long warnings;
};
bool libjpeg_decode_planes(const uint8_t *data, size_t length, uint32_t reduce, struct libjpeg_planes *planes);
void libjpeg_planes_release(struct libjpeg_planes *planes);

#endif
