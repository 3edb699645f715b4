/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records an event in the caller's stream or queue when a call begins, so that the library's work waits for what the
 * stream holds then.
 */
#include "run/stream.h"

kst_status kst_stream_enter(struct kst_context *context, const kst_stream *stream, struct entered_stream *entered)
{
    struct gpu_error error = {.status = KST_OK};
    struct gpu_runtime *runtime = kst_context_gpu(context);
    *entered = (struct entered_stream){.gpu = NULL};
    if (!runtime || stream->kind != runtime->gpu->info.kind)
        return KST_ERROR_DEVICE_STREAM;
    struct gpu *gpu = runtime->gpu;
    if (!gpu->backend->queue_import(gpu, stream->handle, &entered->queue, &error) ||
        !gpu->backend->event_create(gpu, &entered->start, &error)) {
        kst_context_log(context, KST_LOG_ERROR, "stream: %s", error.text);
        return error.status;
    }
    entered->gpu = runtime;
    gpu->backend->record(&entered->queue, &entered->start);
    return entered->queue.error.status;
}

void kst_stream_leave(struct entered_stream *entered)
{
    if (entered->gpu)
        entered->gpu->gpu->backend->event_destroy(entered->gpu->gpu, &entered->start);
    entered->gpu = NULL;
}
