/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how containers are read through libavformat. */
#ifndef KOSTKA_TOOL_VIDEO_AVFORMAT_READ_H
#define KOSTKA_TOOL_VIDEO_AVFORMAT_READ_H

#include "video/video.h"

/* The functions of a struct video_format; the demuxer is named as libavformat names it. */
bool avformat_open(struct video_reader *reader, const char *demuxer, struct problem *problem);
enum video_step avformat_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem);
void avformat_close(struct video_reader *reader);

#endif
