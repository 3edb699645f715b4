/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the conversion of frames between RGB and Y, Cb, Cr. */
#ifndef KOSTKA_TOOL_VIDEO_COLOURS_H
#define KOSTKA_TOOL_VIDEO_COLOURS_H

#include "video/video.h"

/* Return whether frames of a matrix (its number in Rec. ITU-T H.273) can be converted; unknown counts as BT.601. */
bool matrix_is_known(uint8_t matrix);

/*
 * Convert planes of Y, Cb and Cr to interleaved RGB of the same depth, 8 to 16 bits, by a matrix and a range; both
 * images are in host memory. Subsampled chroma is enlarged bilinearly; its samples lie in the middle of the pixels that
 * they stand for. An unknown range is treated as limited.
 */
kst_status planes_to_rgb(
    kst_context *context, const kst_image *planes, uint8_t matrix, enum video_range range, const kst_image *rgb);

/* Convert interleaved RGB to full-range planes of Y, Cb and Cr by a matrix, all of one size, both in host memory. */
void rgb_to_planes(const kst_image *rgb, uint8_t matrix, const kst_image *planes);

/* Convert interleaved RGB of a shape to full-range planes of Y, Cb and Cr, all of one size. */
bool frame_to_planes(const struct video_shape *shape, uint8_t matrix, const struct video_frame *from,
    struct video_frame *to, struct problem *problem);

#endif
