/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how containers are written through libavformat. */
#ifndef KOSTKA_TOOL_VIDEO_AVFORMAT_WRITE_H
#define KOSTKA_TOOL_VIDEO_AVFORMAT_WRITE_H

#include "video/video.h"

/* Functions of a struct video_format; `muxer` is libavformat's name of the muxer. */
bool avformat_begin(struct video_writer *writer, const char *muxer, struct problem *problem);
bool avformat_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem);
bool avformat_add_packet(struct video_writer *writer, const struct video_packet *packet, struct problem *problem);
bool avformat_end(struct video_writer *writer, struct problem *problem);
void avformat_drop(struct video_writer *writer);

#endif
