/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizes images wherever they lie: on the context's device, or on the CPU. */
#ifndef KOSTKA_RESIZE_RUN_BATCH_H
#define KOSTKA_RESIZE_RUN_BATCH_H

#include "resize/plan.h"
#include "run/stream.h"

/* Holds the place of an image in the whole picture that it is a part of. */
struct resize_whole {
    uint32_t width, height; /* of the whole; 0: the image is not a part */
    uint32_t left, top;     /* where the image begins in it */
};

/*
 * Do the work of kst_resize_batch(). `entered`, which may be null, is the stream that the work comes after. `whole`,
 * which may be null, says for each item what its image is a part of: options apply to the whole picture, of which the
 * image has at least what they need.
 */
kst_status kst_resize_all(struct kst_context *context, kst_resize_item *items, const struct resize_whole *whole,
    size_t count, struct entered_stream *entered);

#endif
