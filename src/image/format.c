/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/format.h"

uint32_t kst_format_channels(kst_format format)
{
    switch (format) {
    case KST_FORMAT_GREY:
        return 1;
    case KST_FORMAT_RGB:
    case KST_FORMAT_BGR:
        return 3;
    case KST_FORMAT_RGBA:
    case KST_FORMAT_BGRA:
    case KST_FORMAT_CMYK:
        return 4;
    default:
        return 0;
    }
}

uint32_t kst_plane_depth(const kst_plane *plane)
{
    return plane->depth == 0 ? 8 : plane->depth;
}

uint32_t kst_plane_sample_bytes(const kst_plane *plane)
{
    if (plane->sample != KST_SAMPLE_INTEGER)
        return plane->sample == KST_SAMPLE_FLOAT32 ? 4 : 2;
    uint32_t depth = kst_plane_depth(plane);
    return depth > 16 ? 4 : depth > 8 ? 2 : 1;
}

uint32_t kst_format_samples(kst_format format)
{
    uint32_t channels = kst_format_channels(format);
    return channels == 0 ? 1 : channels;
}

kst_colour kst_format_colour(kst_format format)
{
    switch (format) {
    case KST_FORMAT_GREY:
        return KST_COLOUR_GREY;
    case KST_FORMAT_RGB:
    case KST_FORMAT_BGR:
    case KST_FORMAT_RGBA:
    case KST_FORMAT_BGRA:
        return KST_COLOUR_RGB;
    case KST_FORMAT_CMYK:
        return KST_COLOUR_CMYK;
    default:
        return KST_COLOUR_UNKNOWN;
    }
}
