/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller's stream: where it is when a call begins. */
#ifndef KOSTKA_RUN_STREAM_H
#define KOSTKA_RUN_STREAM_H

#include "run/device.h"

struct entered_stream {
    struct gpu_executor *gpu; /* null: no stream was entered */
    struct gpu_queue queue;   /* the caller's */
    struct gpu_event start;   /* in it */
};

/* Take note of it. KST_ERROR_DEVICE_STREAM or KST_ERROR_DEVICE_FAILED, which is logged; left in any case. */
kst_status kst_stream_enter(struct kst_context *context, const kst_stream *stream, struct entered_stream *entered);
void kst_stream_leave(struct entered_stream *entered); /* also where none was entered */

#endif
