/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps UltraGrid's names for pixel formats to packings, for C and C++. */
#ifndef KOSTKA_ULTRAGRID_CODECS_H
#define KOSTKA_ULTRAGRID_CODECS_H

#include "video_frame.h"

#include "kostka_pixels.h"

/* Return the packing of uncompressed pixels; PACKING_NONE if it is not supported here. */
static inline enum packing packing_of(codec_t codec)
{
    switch (codec) {
    case UYVY:
        return PACKING_UYVY;
    case YUYV:
        return PACKING_YUYV;
    case v210:
        return PACKING_V210;
    case I420:
        return PACKING_I420;
    case RGB:
        return PACKING_RGB;
    case RGBA:
        return PACKING_RGBA;
    case RG48:
        return PACKING_RG48;
    case R10k:
        return PACKING_R10K;
    default:
        return PACKING_NONE;
    }
}

#endif
