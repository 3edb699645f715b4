/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the conversion of frames between RGB and Y, Cb, Cr of BT.601. */
#ifndef KOSTKA_TOOL_VIDEO_COLOURS_H
#define KOSTKA_TOOL_VIDEO_COLOURS_H

#include "video/video.h"

/*
 * Convert planes of Y, Cb and Cr to interleaved RGB. Subsampled chroma is enlarged bilinearly; its samples lie in the
 * middle of the pixels that they stand for. An unknown range is treated as limited.
 */
bool frame_to_rgb(kst_context *context, const struct video_shape *shape, enum video_range range,
    struct video_frame *from, struct video_frame *to, struct problem *problem);

#endif
