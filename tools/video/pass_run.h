/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the three ways to process frames share: through a flow, one by one, or copying. */
#ifndef KOSTKA_TOOL_VIDEO_PASS_RUN_H
#define KOSTKA_TOOL_VIDEO_PASS_RUN_H

#include <pthread.h>

#include "video/pass.h"

enum { SLOTS_MOST = 256 };

/* Holds the encodings of a frame with several qualities, the first of which is the item's own. */
struct slot_tries {
    int quality[RATE_AHEAD];
    uint32_t count;
    kst_encode_options options[RATE_AHEAD];
    kst_flow_encoding further[RATE_AHEAD - 1];
};

/* Describes a frame in flight. */
struct slot {
    struct video_frame in;
    struct video_frame out;       /* decoded pixels, or the stream that is made */
    struct video_packets packets; /* packets of other streams in front of the frame */
    kst_image image;              /* describes the pixels in `in` that are encoded */
    struct slot_tries *tries;     /* what is encoded ahead of the search for a quality; null: nothing */
    uint64_t number;
    struct slot *next;
};

struct run {
    struct video_pass *pass;
    struct problem *problem; /* guarded by the lock, like the following members */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct slot *free;
    uint32_t used, most;  /* slots in use, and the most that may be */
    size_t waiting;       /* bytes of the packets in all slots */
    bool failed;          /* the problem says why */
    bool ended;           /* no frame follows */
    bool broken;          /* reading has failed; the problem says why, unless a frame before that has failed */
    bool preparing;       /* prepare() is allocating the memory of unused slots */
    int quality;          /* that of the last frame that was written, if it was searched for; 0: there was none */
    uint32_t ahead;       /* encodings of a frame that are made ahead of the search; 0: none */
    bool leaves;          /* devices of CUDA stay open, because their driver would take long to free its buffers */
    kst_flow *flow;       /* the flow that stays open then */
    kst_context *context; /* the context for pinned memory of frames; null: plain memory is used */
    struct slot slot[SLOTS_MOST];
    uint32_t made;
    uint64_t owed;             /* empty or damaged frames in front of the first good one */
    struct video_frame second; /* the second field of a frame */
    struct video_frame last;   /* the last frame that was written */
    bool has_last;
};

/* Return whether frames are pixels when they are read, and when they are written. */
static inline bool pass_takes_pixels(const struct video_pass *pass)
{
    return pass->work == KST_FLOW_ENCODE || pass->work == KST_FLOW_CHANGE;
}

static inline bool pass_makes_pixels(const struct video_pass *pass)
{
    return pass->work == KST_FLOW_DECODE || pass->work == KST_FLOW_CHANGE;
}

/* Read the next frame, of which the first may have been read before, or a packet. */
enum video_step pass_read(struct video_pass *pass, struct video_frame *frame, struct problem *problem);

/* Open a context for pinned memory that all contexts of CUDA can use. Null: frames are in plain memory. */
kst_context *pass_open_pinning(const char *device);

/*
 * Make memory that a slot will allocate for its frame, and with `output` for the result, pinned memory of the context.
 */
void pass_pin(const struct run *run, struct slot *slot, bool output);

/* Fill in a flow's item for the frame in a slot. */
bool pass_fill_item(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem);

/* Let the item of a slot be encoded with the qualities that the search will probably ask for. */
bool pass_encode_ahead(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem);

/* Keep an item to its bits: search for its quality, or encode it again. The item's report says whether that fails. */
void pass_keep_to_bits(struct run *run, struct slot *slot, kst_flow_item *item);

/* Do an item's work once more from the start, with some options. */
void pass_make_again(struct run *run, struct slot *slot, const kst_encode_options *encode, kst_flow_item *item);

/* Write packets, and free them. */
bool pass_write_packets(struct run *run, struct video_packets *packets, struct problem *problem);

/* Write the packets of a slot, then the result of its item, or the last frame again. */
bool pass_write_result(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem);

/* Do an item's work in a context, with all of its threads. */
void pass_make(kst_context *context, struct video_pass *pass, kst_flow_item *item);

/* Get the image that is encoded: decoded if need be, and changed. The caller releases it, also after a failure. */
kst_status pass_open_image(kst_context *context, const struct video_pass *pass, const kst_flow_item *item,
    kst_image *image, kst_report *report);

/* Choose how coded frames are decoded. */
void pass_choose_decoding(const struct video_pass *pass, kst_decode_options *options);

/* Show the progress. */
void pass_show(const struct video_pass *pass, const struct video_frame *frame, uint64_t number);

/* Send all frames through a flow, on all devices at once. */
bool pass_flow(struct run *run, struct problem *problem);

/* Process frames one by one: each is written before the next one is read. */
bool pass_singly(struct run *run, struct problem *problem);

#endif
