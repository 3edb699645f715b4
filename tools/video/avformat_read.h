/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how containers are read through libavformat. */
#ifndef KOSTKA_TOOL_VIDEO_AVFORMAT_READ_H
#define KOSTKA_TOOL_VIDEO_AVFORMAT_READ_H

#include "video/video.h"

/* Functions of a struct video_format; `demuxer` is libavformat's name of the demuxer. */
bool avformat_open(struct video_reader *reader, const char *demuxer, struct problem *problem);
enum video_step avformat_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem);
void avformat_close(struct video_reader *reader);

#endif
