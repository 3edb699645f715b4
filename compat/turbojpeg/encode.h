/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the encoding that replaces the original's. */
#ifndef KOSTKA_COMPAT_TURBOJPEG_ENCODE_H
#define KOSTKA_COMPAT_TURBOJPEG_ENCODE_H

#include <stdbool.h>

#include "picture.h"

/* Describes a picture in the caller's memory. */
struct turbojpeg_source {
    const unsigned char *pixels;
    int width, pitch, height, format;
    bool bottom_up;
};

/* Set the coded colour and the sampling factors for a TJSAMP and a TJCS (−1: the colour that TurboJPEG chooses). */
void turbojpeg_set_colour(kst_encode_options *options, int format, int subsampling, int colour);

/* Encode to memory of the library, which turbojpeg_coded_release() releases. */
kst_status turbojpeg_encode(
    const struct turbojpeg_source *source, const kst_encode_options *options, kst_buffer *coded, kst_report *report);
void turbojpeg_coded_release(kst_buffer *coded);

#endif
