/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the table of pixel formats, and answers questions about formats from it. */
#include "image/format.h"

static const struct pixel_layout layouts[] = {
    [KST_FORMAT_AUTO] = {.channels = 0},
    [KST_FORMAT_GREY] = {.channels = 1, .colour = KST_COLOUR_GREY},
    [KST_FORMAT_RGB] = {.channels = 3, .colour = KST_COLOUR_RGB},
    [KST_FORMAT_BGR] = {.channels = 3, .colour = KST_COLOUR_RGB, .reversed = true},
    [KST_FORMAT_RGBA] = {.channels = 4, .colour = KST_COLOUR_RGB, .alpha = true},
    [KST_FORMAT_BGRA] = {.channels = 4, .colour = KST_COLOUR_RGB, .alpha = true, .reversed = true},
    [KST_FORMAT_CMYK] = {.channels = 4, .colour = KST_COLOUR_CMYK},
    [KST_FORMAT_PLANAR] = {.planes = true},
    [KST_FORMAT_RAW] = {.planes = true},
};

bool kst_format_is_known(kst_format format)
{
    return (size_t)format < sizeof layouts / sizeof *layouts;
}

const struct pixel_layout *kst_pixel_layout(kst_format format)
{
    return &layouts[kst_format_is_known(format) ? format : KST_FORMAT_AUTO];
}

uint32_t kst_format_channels(kst_format format)
{
    return kst_pixel_layout(format)->channels;
}

uint32_t kst_plane_depth(const kst_plane *plane)
{
    return plane->depth == 0 ? 8 : plane->depth;
}

uint32_t kst_plane_sample_bytes(const kst_plane *plane)
{
    if (plane->sample != KST_SAMPLE_INTEGER)
        return plane->sample == KST_SAMPLE_FLOAT16 ? 2 : 4;
    uint32_t depth = kst_plane_depth(plane);
    return depth > 16 ? 4 : depth > 8 ? 2 : 1;
}

uint32_t kst_format_samples(kst_format format)
{
    uint32_t channels = kst_format_channels(format);
    return channels == 0 ? 1 : channels;
}
