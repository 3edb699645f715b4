/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the conversion of frames between RGB and Y, Cb, Cr of BT.601. */
#ifndef KOSTKA_TOOL_VIDEO_COLOURS_H
#define KOSTKA_TOOL_VIDEO_COLOURS_H

#include "video/video.h"

/*
 * Convert planes of Y, Cb and Cr to interleaved RGB of the same depth, 8 to 16 bits, both in host memory. Chroma that
 * is smaller than the picture is enlarged, bilinearly, with its samples in the middle of the pixels that they stand
 * for. A range that is not known is taken for the limited one.
 */
kst_status planes_to_rgb(kst_context *context, const kst_image *planes, enum video_range range, const kst_image *rgb);

/* Convert interleaved RGB to planes of Y, Cb and Cr of the full range, all of one size, both in host memory. */
void rgb_to_planes(const kst_image *rgb, const kst_image *planes);

#endif
