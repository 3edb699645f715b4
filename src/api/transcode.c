/* SPDX-License-Identifier: BSD-2-Clause */
/* kst_transcode(), kst_transcode_to(): a stream written anew from its coefficients. */
#include <string.h>

#include "core/context.h"
#include "core/report.h"
#include "core/sink.h"
#include "run/codec.h"

void kst_transcode_options_init(kst_transcode_options *options)
{
    if (options)
        *options = (kst_transcode_options){.size = sizeof *options, .jpeg2000 = {.progression = -1}};
}

static kst_status fail(struct transcoding *t, kst_status status)
{
    return status == KST_OK ? KST_OK : kst_report_error(t->op.report, status, KST_NO_OFFSET, NULL);
}

static kst_status check_options(struct transcoding *t)
{
    const kst_transcode_options *o = t->options;
    if (o->size != sizeof *o || (unsigned)o->coding > KST_CODING_PROGRESSIVE ||
        (unsigned)o->restart.unit > KST_RESTART_KEEP ||
        (o->restart.unit == KST_RESTART_MCUS && o->restart.interval > 65535) || (unsigned)o->strip > KST_STRIP_ALL ||
        (unsigned)o->others > KST_OTHERS_DROP || (o->script_length > 0 && !o->script))
        return fail(t, KST_ERROR_OPTIONS);
    return KST_OK;
}

/* Where the file goes: one of these, and how long it is there. */
struct destination {
    kst_buffer *buffer;
    const kst_writer *writer;
    uint64_t length;
};

static void open_sink(struct transcoding *t, const struct destination *to)
{
    if (to->writer)
        kst_sink_init_writer(&t->sink, &t->memory, to->writer);
    else
        kst_sink_open(&t->sink, &t->memory, to->buffer);
}

static kst_status close_sink(struct transcoding *t, struct destination *to, kst_status status)
{
    if (status == KST_OK) {
        kst_sink_flush(&t->sink);
        status = fail(t, t->sink.status);
    }
    to->length = kst_sink_position(&t->sink);
    if (status == KST_OK && to->buffer)
        kst_sink_close(&t->sink, &t->context->memory, to->buffer);
    else
        kst_sink_release(&t->sink);
    return status;
}

static kst_status transcode(kst_context *context, const void *data, size_t length, const kst_transcode_options *options,
    struct destination *to, kst_report *report)
{
    kst_transcode_options defaults;
    kst_report own;
    kst_transcode_options_init(&defaults);
    kst_report_init(&own);
    if (!context || (!to->buffer && !to->writer) || (!data && length > 0)) {
        kst_status status = kst_report_error(&own, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
        kst_report_copy(report, &own);
        return status;
    }
    struct transcoding t = {.context = context, .options = options ? options : &defaults};
    kst_memory_init_beside(&t.memory, &context->memory, context->limits.memory);
    t.op = kst_context_operation(context, &t.memory, &own, NULL);
    memcpy(own.device, context->device, sizeof own.device);
    own.threads = kst_pool_threads(context->pool);
    open_sink(&t, to);
    kst_status status = check_options(&t);
    if (status == KST_OK)
        status = kst_codec_of(data, length)->transcode(&t, data, length);
    status = close_sink(&t, to, status);
    kst_report_copy(report, &own);
    return status;
}

kst_status kst_transcode(kst_context *context, const void *data, size_t length, const kst_transcode_options *options,
    kst_buffer *output, kst_report *report)
{
    struct destination to = {.buffer = output};
    return transcode(context, data, length, options, &to, report);
}

kst_status kst_transcode_to(kst_context *context, const void *data, size_t length, const kst_transcode_options *options,
    const kst_writer *writer, uint64_t *written, kst_report *report)
{
    bool whole = writer && writer->size == sizeof *writer && writer->write;
    struct destination to = {.writer = whole ? writer : NULL};
    kst_status status = transcode(context, data, length, options, &to, report);
    if (status == KST_OK && written)
        *written = to.length;
    return status;
}
