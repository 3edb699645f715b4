/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the ways share in which frames pass: through a flow, one by one, or as they are. */
#ifndef KOSTKA_TOOL_VIDEO_PASS_RUN_H
#define KOSTKA_TOOL_VIDEO_PASS_RUN_H

#include <pthread.h>

#include "video/pass.h"

enum { SLOTS_MOST = 256 };

/* Describes a frame under way. */
struct slot {
    struct video_frame in;
    struct video_frame out;       /* pixels that are decoded, or the stream that is made */
    struct video_packets packets; /* of other streams, which stand in front of the frame */
    kst_image image;              /* pixels that are encoded, which are in `in` */
    uint64_t number;
    struct slot *next;
};

struct run {
    struct video_pass *pass;
    struct problem *problem; /* guarded by the lock, as are the following members */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct slot *free;
    uint32_t used, most;  /* slots that are under way, and the most that may be */
    size_t waiting;       /* bytes of the packets in all slots */
    bool failed;          /* the problem says why */
    bool ended;           /* no frame follows */
    bool broken;          /* because reading failed; the problem says why, unless a frame in front of that fails */
    bool preparing;       /* slots that nobody has used yet get their memory */
    kst_context *context; /* in whose pinned memory frames lie; null: it is plain */
    struct slot slot[SLOTS_MOST];
    uint32_t made;
    uint64_t owed;             /* frames that stand in front of the first good one */
    struct video_frame second; /* the second field of a frame */
    struct video_frame planes; /* pixels that were RGB */
    struct video_frame last;   /* the last frame that was written */
    bool has_last;
};

/* Read the next frame, of which the first may have been read before, or a packet. */
enum video_step pass_read(struct video_pass *pass, struct video_frame *frame, struct problem *problem);

/* Open a context for pinned memory, which all contexts of CUDA know. Null: frames are in plain memory. */
kst_context *pass_open_pinning(const char *device);

/* Let memory that a slot will allocate, for its frame and perhaps for what becomes of it, be pinned by the context. */
void pass_pin(const struct run *run, struct slot *slot, bool output);

/* Make an item of the frame in a slot. */
bool pass_fill_item(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem);

/* Write packets, which then are gone. */
bool pass_write_packets(struct run *run, struct video_packets *packets, struct problem *problem);

/* Write what an item of a slot has become, or the last frame again, behind the slot's packets. */
bool pass_write_result(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem);

/* Do an item's work in a context, all of whose threads share it. */
void pass_make(kst_context *context, struct video_pass *pass, kst_flow_item *item);

/* Choose how coded frames are decoded. */
void pass_choose_decoding(const struct video_pass *pass, kst_decode_options *options);

/* Show how far the work has come. */
void pass_show(const struct video_pass *pass, const struct video_frame *frame, uint64_t number);

/* Send all frames through a flow, on all devices at once. */
bool pass_flow(struct run *run, struct problem *problem);

/* Let each frame go out before the next one is read. */
bool pass_singly(struct run *run, struct problem *problem);

#endif
