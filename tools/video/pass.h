/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the pass: the conversion of a sequence's frames from one container to another. */
#ifndef KOSTKA_TOOL_VIDEO_PASS_H
#define KOSTKA_TOOL_VIDEO_PASS_H

#include <kostka/kostka_flow.h>

#include "options/options.h"
#include "video/change.h"
#include "video/rate.h"
#include "video/video.h"

/* Return whether a failure to decode is due to the frame itself, and not to memory, a device or the options. */
bool video_is_damage(kst_status status);

/* Says what is done with the frames of a sequence. */
struct video_pass {
    const struct common_options *common;
    struct video_reader *reader;
    struct video_writer *writer;
    struct video_frame first; /* the first frame, which has been read to see what the frames are; empty: not yet */
    bool has_first;
    struct video_packets packets; /* those of other streams that stand in front of it */
    uint64_t leading;             /* frames in front of it, which could not be examined */
    bool copy;                    /* frames stay byte for byte, and there is no work */
    kst_flow_work work;           /* otherwise, with the options that it needs */
    struct video_change *change; /* frames are resized and filtered between decoding and encoding; null: they are not */
    struct video_info changed;   /* describes the frames behind that; without it the reader's */
    struct video_shape decoded;  /* the pixels that frames become, if pixels are written */
    const kst_encode_options *encode;
    const kst_transcode_options *transcode;
    struct video_rate rate; /* bits of JPEG; frames are then encoded one by one */
    bool strict;            /* fail at damaged frames */
    bool latency;           /* write each frame before the next one is read */
    /* Results. */
    uint64_t damaged; /* frames that could not be decoded; the previous one is repeated instead */
    uint64_t warned;  /* frames that were decoded in part */
    struct problem first_damage;
    struct video_losses losses; /* of numbered files; the reader counts them */
    bool interrupted;           /* a signal ended the work early */
    bool leaves;                /* devices of CUDA were left open: the process should end without exit() */
};

/* Read all frames and write them. Returns false, with the problem, on failure. */
bool video_pass_run(struct video_pass *pass, struct problem *problem);

#endif
