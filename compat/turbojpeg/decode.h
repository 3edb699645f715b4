/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the decoding that is taken over: of streams without a warning. */
#ifndef KOSTKA_COMPAT_TURBOJPEG_DECODE_H
#define KOSTKA_COMPAT_TURBOJPEG_DECODE_H

#include <stdbool.h>

#include "picture.h"

struct turbojpeg_decoding {
    const unsigned char *jpeg;
    size_t length;
    unsigned char *pixels;
    int pitch; /* 0: that of the width */
    int format;
    int most_width, most_height; /* unless `eighths` is set: the largest size that fits is chosen; 0: the picture's */
    uint32_t eighths;            /* of the size: 1–16 */
    kst_region region;           /* of the scaled picture; all 0: the whole */
    uint32_t most_scans;         /* 0: any number */
    uint32_t expected_width, expected_height; /* of the coded picture, for which `pixels` has room; 0: any */
    bool bottom_up, fast_dct, fast_upsampling;
    uint32_t width, height; /* after decoding: the coded picture's */
    kst_colour colour;      /* likewise */
};

/*
 * Decode. False: there is a warning or an error, a conversion that TurboJPEG does not have, or no memory; the caller's
 * buffer may have been written then.
 */
bool turbojpeg_decode(struct turbojpeg_decoding *decoding);

#endif
