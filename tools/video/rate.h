/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how frames are limited to a number of bits: for JPEG by the quality, which is found by trying. */
#ifndef KOSTKA_TOOL_VIDEO_RATE_H
#define KOSTKA_TOOL_VIDEO_RATE_H

#include "tool.h"

/*
 * Holds the limit on the bits of frames, and how far it is used up. With a bucket, frames share the bits of each
 * second: the bucket holds the bits of one second, each frame's bits fill it, each frame's share drains from it, and no
 * frame may overflow it. Any number of consecutive frames then has at most the bits of their duration and of one second
 * more.
 */
struct video_rate {
    double frame_bits; /* the most bits of a frame or, with a bucket, a frame's share; 0: any number */
    double capacity;   /* bits that the bucket holds; 0: there is no bucket */
    double fill;       /* bits that are in the bucket */
    int quality;       /* quality of the last frame; 0: there was none */
    int most;          /* the greatest quality that is tried */
    bool ceiling;      /* frames of JPEG 2000 have the wanted quality, and are reduced if that takes too many bits */
    uint64_t over;     /* number of frames that exceed their bits even at the lowest quality */
    uint64_t lowered;  /* number of frames with less than the wanted quality */
};

/* Return the kind of memory in which a context's device has pixels. */
kst_memory video_device_memory(kst_context *context);

/* Return the most bits of the next frame: more than its share while the bucket is less than half full. */
double video_rate_allowance(const struct video_rate *rate);

/* Add a frame's bits to the bucket, and drain a frame's share. */
void video_rate_fill(struct video_rate *rate, double bits);

/* Encode an image with the greatest quality that keeps within the bits. The caller owns the output. */
kst_status video_rate_encode(struct video_rate *rate, kst_context *context, const kst_image *image,
    const kst_encode_options *options, kst_buffer *output, kst_report *report);

#endif
