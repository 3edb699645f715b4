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

/* Return whether the quality of each frame is searched for. */
static inline bool video_rate_searches(const struct video_rate *rate)
{
    return rate->frame_bits > 0 && !rate->ceiling;
}

/* Return the most bits of the next frame: more than its share while the bucket is less than half full. */
double video_rate_allowance(const struct video_rate *rate);

/* Add a frame's bits to the bucket, and drain a frame's share. */
void video_rate_fill(struct video_rate *rate, double bits);

enum { RATE_AHEAD = 5 /* the most encodings of a frame that are made ahead */ };

/*
 * List qualities with which a frame is worth encoding ahead, the likeliest first, up to `wanted` of them: those around
 * the quality of an earlier frame (0: there was none) that are allowed. Returns their number, at least 1.
 */
uint32_t video_rate_guess(int quality, int most, uint32_t wanted, int list[RATE_AHEAD]);

/* Describes an encoding that was made ahead. */
struct video_encoding {
    int quality;
    uint8_t *data;
    size_t length;
};

/* Says how a frame is encoded with other qualities. */
struct video_source {
    kst_context *context;
    const kst_encode_options *options; /* all but the quality */
    /* Get the image, or describe one that the owner keeps. Called once at most. */
    kst_status (*open)(void *user, kst_image *image, kst_report *report);
    void *user;
};

/*
 * Encode a frame with the greatest quality that keeps within the bits, out of `count` encodings made ahead and others
 * that are made here. The caller releases the output, which may be one of those made ahead, and does not own it then.
 */
kst_status video_rate_encode(struct video_rate *rate, const struct video_source *source,
    const struct video_encoding *ahead, uint32_t count, kst_buffer *output, kst_report *report);

#endif
