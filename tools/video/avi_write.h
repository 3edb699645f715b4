/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how AVI files are written. */
#ifndef KOSTKA_TOOL_VIDEO_AVI_WRITE_H
#define KOSTKA_TOOL_VIDEO_AVI_WRITE_H

#include "video/video.h"

enum { AVIH_FRAMES = 16 /* offset of dwTotalFrames in the chunk avih */ };

/* Functions of a struct video_format. */
bool avi_begin(struct video_writer *writer, struct problem *problem);
bool avi_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem);
bool avi_add_packet(struct video_writer *writer, const struct video_packet *packet, struct problem *problem);
bool avi_end(struct video_writer *writer, struct problem *problem);
void avi_drop(struct video_writer *writer);

#endif
