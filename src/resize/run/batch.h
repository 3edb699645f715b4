/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the resizing of many images, on the context's device or on the CPU. */
#ifndef KOSTKA_RESIZE_RUN_BATCH_H
#define KOSTKA_RESIZE_RUN_BATCH_H

#include "resize/plan.h"
#include "run/stream.h"

/* Holds the place of an image in the whole picture of which it is a part. */
struct resize_whole {
    uint32_t width, height; /* size of the whole picture; 0: the image is not a part */
    uint32_t left, top;     /* where the image begins in it */
};

/*
 * Do the work of kst_resize_batch(). `entered`, which may be null, is the stream that the work comes after. `whole`,
 * which may be null, says for each item of which picture its image is a part: options apply to the whole picture, and
 * the image holds at least the pixels that they need.
 */
kst_status kst_resize_all(struct kst_context *context, kst_resize_item *items, const struct resize_whole *whole,
    size_t count, struct entered_stream *entered);

#endif
