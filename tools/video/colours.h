/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the conversion of frames between RGB and Y, Cb, Cr. */
#ifndef KOSTKA_TOOL_VIDEO_COLOURS_H
#define KOSTKA_TOOL_VIDEO_COLOURS_H

#include "video/video.h"

/* Return whether frames of a matrix of Rec. ITU-T H.273 can be converted. That of BT.601 stands for unknown ones. */
bool matrix_is_known(uint8_t matrix);

/*
 * Convert planes of Y, Cb and Cr of a shape to interleaved RGB, by the matrix and the range of the info. Chroma that is
 * smaller than the picture is enlarged, bilinearly, with its samples in the middle of the pixels that they stand for. A
 * range that is not known is taken for the limited one.
 */
bool frame_to_rgb(kst_context *context, const struct video_shape *shape, const struct video_info *info,
    struct video_frame *from, struct video_frame *to, struct problem *problem);

/* Convert interleaved RGB of a shape to planes of Y, Cb and Cr, of the full range and all of one size. */
bool frame_to_planes(const struct video_shape *shape, uint8_t matrix, const struct video_frame *from,
    struct video_frame *to, struct problem *problem);

#endif
