/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes streams of 12-bit samples (T.81 table B.2) by changing the precision in streams of 8-bit samples, whose
 * coefficients they keep.
 */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_DEEP_H
#define KOSTKA_TESTS_SUPPORT_JPEG_DEEP_H

#include "support/bytes.h"

struct deep_stream {
    const char *name;
    uint32_t width, height, channels; /* 1: grey, 3: RGB, 4: CMYK */
    kst_colour colour;                /* of the coded stream */
    uint8_t h[4], v[4];
    kst_coding coding;
    kst_restart restart;
    int quality;
    bool fine; /* keep the quantisers, so that samples vary by 8 bits; otherwise multiply them by 16 */
};

/* Make a pseudo-random picture, the same on each run, and append its stream to `bytes`. */
void deep_make(kst_context *context, const struct deep_stream *stream, struct bytes *bytes);

/* Return the FNV-1a hash of all samples of an image, two bytes each, low byte first, continued from `sum`. */
enum { DEEP_SUM = 0x811c9dc5 };
uint32_t deep_sum(uint32_t sum, const kst_image *image);

#endif
