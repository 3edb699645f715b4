/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how frames are resized and filtered between decoding and encoding. */
#ifndef KOSTKA_TOOL_VIDEO_CHANGE_H
#define KOSTKA_TOOL_VIDEO_CHANGE_H

#include <kostka/kostka_flow.h>

#include "options/options.h"
#include "video/video.h"

/* Says how frames are to be changed. */
struct video_wanted {
    const struct common_options *common;
    kst_resize_options resize; /* a width and height of 0: no resizing */
    const char *filters;       /* a chain of libkostka_filters; null: none */
    bool rgb;                  /* frames become RGB, or stay grey */
    bool planes;               /* what is RGB behind the other steps becomes planes of 4:4:4 */
};

/* Return whether frames of a matrix (its number in Rec. ITU-T H.273) can be converted; unknown counts as BT.601. */
bool matrix_is_known(uint8_t matrix);

struct video_change;

/*
 * Find out how to change frames. *info describes the frames that are read, and becomes a description of the changed
 * ones. At least one change must be wanted. Returns false with the problem if they cannot be changed so.
 */
bool video_change_open(
    const struct video_wanted *wanted, struct video_info *info, struct video_change **change, struct problem *problem);
void video_change_close(struct video_change **change);

/*
 * Return the stage of a flow that changes frames, in the shape in which they were read. It works in the memory of the
 * context's device where that is a GPU. An image of another shape fails with KST_ERROR_IMAGE_SIZE. Null if the change
 * is null.
 */
const kst_flow_stage *video_change_stage(const struct video_change *change);

#endif
