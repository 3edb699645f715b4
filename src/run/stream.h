/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how the library's work on a device is ordered behind what the caller's stream or queue holds when a call
 * begins.
 */
#ifndef KOSTKA_RUN_STREAM_H
#define KOSTKA_RUN_STREAM_H

#include "core/shared.h"
#include "run/device.h"

struct entered_stream {
    struct gpu_runtime *gpu; /* null: no stream was entered */
    struct gpu_queue queue;  /* the caller's */
    struct gpu_event start;  /* an event in that queue */
};

/*
 * Enter the caller's stream. Returns KST_OK, KST_ERROR_DEVICE_STREAM or KST_ERROR_DEVICE_FAILED; the device's failures
 * are logged. The stream must be left even after a failure.
 */
KST_SHARED kst_status kst_stream_enter(
    struct kst_context *context, const kst_stream *stream, struct entered_stream *entered);
KST_SHARED void kst_stream_leave(struct entered_stream *entered); /* allowed even if none was entered */

#endif
