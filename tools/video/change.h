/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how frames are resized and filtered between reading and writing. */
#ifndef KOSTKA_TOOL_VIDEO_CHANGE_H
#define KOSTKA_TOOL_VIDEO_CHANGE_H

#include "video/pass.h"

/* Says what becomes of frames. */
struct video_wanted {
    const struct common_options *common;
    kst_resize_options resize; /* a width and height of 0: none */
    const char *filters;       /* a chain of libkostka_filters; null: none */
    bool rgb;                  /* frames become RGB, or stay grey */
    bool strict;               /* damage ends the work */
};

/*
 * Put a reader in the place of the pass's own, which it takes over, together with a frame that has been read. It reads
 * pixels: coded frames are decoded, then resized and filtered, each by all threads. The pass's reader is closed as
 * before. Returns false with the problem if frames cannot be changed so.
 */
bool video_change_begin(const struct video_wanted *wanted, struct video_pass *pass, struct problem *problem);

/* Add what the reader has found damaged to the counts of the pass, which has ended. */
void video_change_end(struct video_pass *pass);

#endif
