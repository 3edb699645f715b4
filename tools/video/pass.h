/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the frames of a sequence go from one container to another. */
#ifndef KOSTKA_TOOL_VIDEO_PASS_H
#define KOSTKA_TOOL_VIDEO_PASS_H

#include <kostka/kostka_flow.h>

#include "options/options.h"
#include "video/rate.h"
#include "video/video.h"

/* Return whether a failure to decode is the frame's own, and not one of memory, of a device or of what is asked for. */
bool video_is_damage(kst_status status);

/* Says what is done with the frames of a sequence. */
struct video_pass {
    const struct common_options *common;
    struct video_reader *reader;
    struct video_writer *writer;
    struct video_frame first; /* the first frame, which has been read to see what the frames are; empty: it has not */
    bool has_first;
    struct video_packets packets; /* those of other streams that stand in front of it */
    uint64_t leading;             /* frames in front of it, which could not be examined */
    bool copy;                    /* frames stay byte for byte, and there is no work */
    kst_flow_work work;           /* otherwise, with the options that it needs */
    struct video_shape decoded;   /* what coded frames are decoded to */
    const kst_encode_options *encode;
    const kst_transcode_options *transcode;
    struct video_rate rate; /* of JPEG; frames are then coded one by one */
    bool strict;            /* damage ends the work */
    bool latency;           /* a frame goes out before the next one is read */
    /* What came of it. */
    uint64_t damaged; /* frames that could not be decoded, instead of which the one before is repeated */
    uint64_t warned;  /* frames that were decoded in part */
    struct problem first_damage;
    struct video_losses losses; /* of numbered files; the reader counts them */
    bool interrupted;           /* a signal ended the work early */
};

/* Read all frames and write them. Returns false with the problem if that failed. */
bool video_pass_run(struct video_pass *pass, struct problem *problem);

#endif
