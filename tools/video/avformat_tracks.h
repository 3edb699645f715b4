/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares conversions between libavformat's descriptions of streams and this program's. */
#ifndef KOSTKA_TOOL_VIDEO_AVFORMAT_TRACKS_H
#define KOSTKA_TOOL_VIDEO_AVFORMAT_TRACKS_H

#include "video/avformat_library.h"
#include "video/video.h"

/*
 * Describe a stream of libavformat as a track that refers to the stream's memory. Returns false, with the problem, if
 * out of memory.
 */
bool avformat_describe_track(const AVStream *stream, struct video_track *track, struct problem *problem);

/* Set the parameters of a stream for a track. Returns false if the track cannot be described so. */
bool avformat_set_track(const struct video_track *track, AVStream *stream);

/* Copy what a stream states about frames to `info`, or from `info` to a stream's parameters. */
void avformat_describe_frames(const AVStream *stream, struct video_info *info);
void avformat_set_frames(const struct video_info *info, AVCodecParameters *codec);

#endif
