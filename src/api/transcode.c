/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the entry points of transcoding: kst_transcode(), kst_transcode_batch() and kst_transcode_to(). */
#include "core/report.h"
#include "run/codec.h"

void kst_transcode_options_init(kst_transcode_options *options)
{
    if (options)
        *options = (kst_transcode_options){.size = sizeof *options, .jpeg2000 = {.progression = -1}};
}

static kst_status transcode(kst_context *context, const void *data, size_t length, const kst_transcode_options *options,
    struct transcoding_target *to, kst_report *report)
{
    kst_report own;
    if (context && (to->buffer || to->writer) && (data || length == 0))
        return kst_transcoding_run(context, data, length, options, to, report);
    kst_report_init(&own);
    kst_report_error(&own, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
    kst_report_copy(report, &own);
    return KST_ERROR_ARGUMENT;
}

kst_status kst_transcode(kst_context *context, const void *data, size_t length, const kst_transcode_options *options,
    kst_buffer *output, kst_report *report)
{
    struct transcoding_target to = {.buffer = output};
    return transcode(context, data, length, options, &to, report);
}

kst_status kst_transcode_batch(kst_context *context, kst_transcode_item *items, size_t count)
{
    if (!context || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    return kst_transcoding_run_all(context, items, count);
}

kst_status kst_transcode_to(kst_context *context, const void *data, size_t length, const kst_transcode_options *options,
    const kst_writer *writer, uint64_t *written, kst_report *report)
{
    bool whole = writer && writer->size == sizeof *writer && writer->write && !writer->keep == !writer->fetch;
    struct transcoding_target to = {.writer = whole ? writer : NULL};
    kst_status status = transcode(context, data, length, options, &to, report);
    if (!status && written)
        *written = to.length;
    return status;
}
