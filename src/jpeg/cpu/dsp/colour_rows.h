/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the kinds of conversions of a row of pixels. A tier's row functions are all made from one function, which is
 * inlined with everything constant except the rows.
 */
#ifndef KOSTKA_JPEG_CPU_DSP_COLOUR_ROWS_H
#define KOSTKA_JPEG_CPU_DSP_COLOUR_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jpeg_colour_decoding {
    enum { FROM_YCC, FROM_RGB, FROM_GREY, FROM_YCCK, FROM_CMYK } from;
    int size; /* bytes per pixel */
    int red;  /* offset of red: 0 or 2 */
    uint8_t alpha;
    const uint8_t *in[4];
};

struct jpeg_colour_encoding {
    enum { TO_YCC, TO_GREY, SPLIT } to;
    int size;    /* bytes per pixel */
    int red;     /* offset of red: 0 or 2 */
    bool invert; /* invert CMY before the conversion to YCC */
    bool fourth; /* store the fourth byte too */
    uint8_t *out[4];
};

#endif
