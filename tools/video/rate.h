/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how frames of JPEG get a number of bits: by the quality, which is found by trying. */
#ifndef KOSTKA_TOOL_VIDEO_RATE_H
#define KOSTKA_TOOL_VIDEO_RATE_H

#include "tool.h"

/*
 * Holds what frames may have, and how far that is used up. With a bucket, frames share what each second brings: a
 * bucket that holds the bits of one second loses a frame's share with each frame, and no frame may make it run over.
 * Any row of frames then has at most the bits of their time and of one second more.
 */
struct video_rate {
    double frame_bits; /* the bits of each frame, or its share with a bucket; 0: any number */
    double capacity;   /* of the bucket; 0: there is none */
    double fill;       /* bits in the bucket */
    int quality;       /* of the last frame; 0: there was none */
    int most;          /* the greatest quality that is tried */
    bool ceiling;      /* frames of JPEG 2000 have the quality that is asked for, and lose some where it takes more */
    uint64_t over;     /* frames that exceed their bits even at the lowest quality */
    uint64_t lowered;  /* frames that lost some of the quality that was asked for */
};

/* Return the memory in which a context's device has its pixels. */
kst_memory video_device_memory(kst_context *context);

/* Return the bits that the next frame may have: more than its share while the bucket is emptier than half. */
double video_rate_allowance(const struct video_rate *rate);

/* Put a frame's bits into the bucket, and take out a frame's share. */
void video_rate_fill(struct video_rate *rate, double bits);

/* Encode an image with the greatest quality that keeps to the bits. The output is the caller's. */
kst_status video_rate_encode(struct video_rate *rate, kst_context *context, const kst_image *image,
    const kst_encode_options *options, kst_buffer *output, kst_report *report);

#endif
