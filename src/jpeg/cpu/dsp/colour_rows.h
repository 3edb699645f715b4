/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a row of pixels is converted from and to. The row functions of a tier are all made of one, inlined with all but
 * the rows constant.
 */
#ifndef KOSTKA_JPEG_CPU_DSP_COLOUR_ROWS_H
#define KOSTKA_JPEG_CPU_DSP_COLOUR_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decoding {
    enum { FROM_YCC, FROM_RGB, FROM_GREY, FROM_YCCK, FROM_CMYK } from;
    int size; /* bytes of a pixel */
    int red;  /* offset of red, 0 or 2 */
    uint8_t alpha;
    const uint8_t *in[4];
};

struct encoding {
    enum { TO_YCC, TO_GREY, SPLIT } to;
    int size;    /* bytes of a pixel */
    int red;     /* offset of red, 0 or 2 */
    bool invert; /* CMY to YCC */
    bool fourth; /* the fourth byte too */
    uint8_t *out[4];
};

#endif
