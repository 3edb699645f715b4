/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how frames are resized and filtered between reading and writing. */
#ifndef KOSTKA_TOOL_VIDEO_CHANGE_H
#define KOSTKA_TOOL_VIDEO_CHANGE_H

#include "video/pass.h"

/* Says how frames are to be changed. */
struct video_wanted {
    const struct common_options *common;
    kst_resize_options resize; /* a width and height of 0: no resizing */
    const char *filters;       /* a chain of libkostka_filters; null: none */
    bool rgb;                  /* convert frames to RGB; grey stays grey */
    bool strict;               /* fail at damaged frames */
};

/*
 * Replace the reader of the pass by one that resizes and filters, and that takes over the previous reader and the frame
 * that has been read. It reads pixels: coded frames are decoded, then resized and filtered, each by all threads. The
 * reader is closed as before. Returns false, with the problem, if frames cannot be changed like this.
 */
bool video_change_begin(const struct video_wanted *wanted, struct video_pass *pass, struct problem *problem);

/* Add the reader's counts of damaged frames to those of the pass, which has ended. */
void video_change_end(struct video_pass *pass);

#endif
