/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the options of transcoding, and lets the codec write the new stream to a buffer or to the caller's writer. */
#include <string.h>

#include "core/context.h"
#include "core/report.h"
#include "core/sink.h"
#include "run/codec.h"

static kst_status fail(struct transcoding *t, kst_status status)
{
    return status ? kst_report_error(t->op.report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

static kst_status check_options(struct transcoding *t)
{
    const kst_transcode_options *o = t->options;
    if (o->size != sizeof *o || (unsigned)o->coding > KST_CODING_PROGRESSIVE ||
        (unsigned)o->restart.unit > KST_RESTART_KEEP ||
        (o->restart.unit == KST_RESTART_MCUS && o->restart.interval > 65535) || (unsigned)o->strip > KST_STRIP_ALL ||
        (unsigned)o->others > KST_OTHERS_DROP || !kst_progress_is_fine(o->progress) ||
        (o->script_length > 0 && !o->script))
        return fail(t, KST_ERROR_OPTIONS);
    return KST_OK;
}

static void open_sink(struct transcoding *t, const struct transcoding_target *to)
{
    if (to->writer)
        kst_sink_init_writer(&t->sink, &t->memory, to->writer);
    else
        kst_sink_open(&t->sink, &t->memory, to->buffer);
}

static kst_status close_sink(struct transcoding *t, struct transcoding_target *to, kst_status status)
{
    if (!status) {
        kst_sink_flush(&t->sink);
        status = fail(t, t->sink.status);
    }
    to->length = kst_sink_position(&t->sink);
    if (!status && to->buffer)
        kst_sink_close(&t->sink, &t->context->memory, to->buffer);
    else
        kst_sink_release(&t->sink);
    return status;
}

kst_status kst_transcoding_run(kst_context *context, const void *data, size_t length,
    const kst_transcode_options *options, struct transcoding_target *to, kst_report *report)
{
    kst_transcode_options defaults;
    struct progress progress;
    kst_report own;
    kst_transcode_options_init(&defaults);
    kst_report_init(&own);
    struct transcoding t = {.context = context, .options = options ? options : &defaults};
    kst_memory_init_beside(&t.memory, &context->memory, context->limits.memory);
    t.op = kst_context_operation(context, &t.memory, &own, &progress);
    memcpy(own.device, context->device, sizeof own.device);
    own.threads = kst_pool_threads(context->pool);
    open_sink(&t, to);
    kst_status status = check_options(&t);
    if (!status && !kst_progress_begin(&progress, t.options->progress))
        status = fail(&t, KST_ERROR_CANCELLED);
    if (!status)
        status = kst_codec_of(data, length)->transcode(&t, data, length);
    status = close_sink(&t, to, status);
    if (!status)
        kst_progress_end(&progress);
    kst_report_copy(report, &own);
    return status;
}
