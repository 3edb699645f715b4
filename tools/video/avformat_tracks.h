/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how streams are described to libavformat and by it. */
#ifndef KOSTKA_TOOL_VIDEO_AVFORMAT_TRACKS_H
#define KOSTKA_TOOL_VIDEO_AVFORMAT_TRACKS_H

#include "video/avformat_library.h"
#include "video/video.h"

/* Describe a stream of libavformat as a track that borrows from it. Returns false, with the problem, without memory. */
bool avformat_describe_track(const AVStream *stream, struct video_track *track, struct problem *problem);

/* Set the parameters of a stream for a track. Returns false if there are none for it. */
bool avformat_set_track(const struct video_track *track, AVStream *stream);

/* Take over what a stream says about frames; and say it. */
void avformat_describe_frames(const AVStream *stream, struct video_info *info);
void avformat_set_frames(const struct video_info *info, AVCodecParameters *codec);

#endif
