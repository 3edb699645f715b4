/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes streams to images of another size. */
#ifndef KOSTKA_RESIZE_RUN_DECODE_H
#define KOSTKA_RESIZE_RUN_DECODE_H

#include "run/stream.h"

/* Do the work of kst_decode_resized(); `entered`, which may be null, is the caller's stream. */
kst_status kst_resize_decoded(struct kst_context *context, kst_decode_item *items, const kst_resize_options *options,
    size_t count, struct entered_stream *entered);

#endif
