/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the decoding that replaces the original's, for streams that cause no warning. */
#ifndef KOSTKA_COMPAT_TURBOJPEG_DECODE_H
#define KOSTKA_COMPAT_TURBOJPEG_DECODE_H

#include <stdbool.h>

#include "picture.h"

struct turbojpeg_decoding {
    const unsigned char *jpeg;
    size_t length;
    unsigned char *pixels;
    int pitch; /* 0: rows have no padding */
    int format;
    int most_width,
        most_height;     /* unless `eighths` is set: the largest size within these is chosen; 0: the picture's */
    uint32_t eighths;    /* the size in eighths, 1–16 */
    kst_region region;   /* region of the scaled picture; all 0: the whole picture */
    uint32_t most_scans; /* 0: any number */
    uint32_t expected_width, expected_height; /* size of the coded picture that `pixels` has room for; 0: any */
    bool bottom_up, fast_dct, fast_upsampling;
    uint32_t width, height; /* set by decoding: size of the coded picture */
    kst_colour colour;      /* set by decoding */
};

/*
 * Decode. Returns false if there is a warning or an error, a conversion that TurboJPEG does not support, or no memory;
 * the caller's buffer may have been written nevertheless.
 */
bool turbojpeg_decode(struct turbojpeg_decoding *decoding);

#endif
