/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how 'kostka video' opens its input and chooses what is done with the frames. */
#ifndef KOSTKA_TOOL_VIDEO_SETUP_H
#define KOSTKA_TOOL_VIDEO_SETUP_H

#include "video/pass.h"

/* Holds the options of the command line. */
struct video_settings {
    struct common_options common;
    struct encode_settings encode;
    struct j2k_settings j2k;
    kst_transcode_options transcode;
    struct video_wishes wishes;
    struct resize_settings resize;
    uint64_t first_out; /* number of the first file that is written */
    double bitrate;     /* bits a second; 0: not set */
    double frame_bits;  /* the most bits of a frame; 0: not set */
    struct options_given given;
    const struct video_format *in_format, *out_format; /* null: chosen by the names and the first bytes */
    kst_codec codec;                                   /* KST_CODEC_NONE: chosen by the input and other options */
    bool ht;                                           /* use the block coder of T.814 */
    bool strict, latency, in_place;
};

/* Open the input, and read up to its first frame, from which the shape becomes known. */
bool video_open_input(const struct video_settings *settings, const char *path, struct video_reader *reader,
    struct video_pass *pass, struct problem *problem);
void video_close_input(struct video_reader *reader);

/*
 * Choose what is done with the frames, and the options for that, which the settings hold. Returns EXIT_FINE, or
 * EXIT_USAGE after a message.
 */
int video_choose_work(struct video_settings *settings, const char *path, struct video_pass *pass);

#endif
