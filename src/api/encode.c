/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the entry points of encoding: kst_encode(), kst_encode_rows() and kst_encode_to() for one picture,
 * kst_encode_batch() for many.
 */
#include "core/report.h"
#include "run/device.h"
#include "run/encoding.h"
#include "run/stream.h"

void kst_encode_options_init(kst_encode_options *options)
{
    if (!options)
        return;
    *options = (kst_encode_options){.size = sizeof *options,
        .codec = KST_CODEC_JPEG,
        .quality = 75,
        .quant_index = {0, 1, 1, 0},
        .density_x = 1,
        .density_y = 1};
}

static kst_status refuse(kst_report *report)
{
    kst_report own;
    kst_report_init(&own);
    kst_report_error(&own, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
    kst_report_copy(report, &own);
    return KST_ERROR_ARGUMENT;
}

static kst_status encode(kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output, kst_report *report)
{
    struct encoding e;
    if (!context)
        return refuse(report);
    kst_status status = kst_encoding_begin(&e, context, image, rows, options, output);
    if (!status)
        status = kst_encoding_run(&e);
    kst_report_copy(report, &e.report);
    return status;
}

static bool is_whole(const kst_rows *rows)
{
    return rows && rows->size == sizeof *rows && rows->read;
}

kst_status kst_encode(kst_context *context, const kst_image *image, const kst_encode_options *options,
    kst_buffer *output, kst_report *report)
{
    return encode(context, image, NULL, options, output, report);
}

kst_status kst_encode_rows(kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output, kst_report *report)
{
    return encode(is_whole(rows) ? context : NULL, image, rows, options, output, report);
}

kst_status kst_encode_to(kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, const kst_writer *writer, uint64_t *length, kst_report *report)
{
    struct encoding e;
    kst_buffer none = {.data = NULL};
    bool whole = writer && writer->size == sizeof *writer && writer->write && !writer->keep == !writer->fetch &&
                 (!rows || is_whole(rows));
    if (!context || !whole)
        return refuse(report);
    kst_status status = kst_encoding_begin(&e, context, image, rows, options, &none);
    if (!status) {
        kst_sink_init_writer(&e.sink, &e.memory, writer);
        status = kst_encoding_run(&e);
    }
    if (!status && length)
        *length = e.written;
    kst_report_copy(report, &e.report);
    return status;
}

kst_status kst_encode_batch(kst_context *context, kst_encode_item *items, size_t count)
{
    if (!context || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    return kst_encoding_run_all(context, kst_context_gpu_if_open(context), items, count, NULL);
}

kst_status kst_encode_batch_after(kst_context *context, kst_encode_item *items, size_t count, const kst_stream *stream)
{
    struct entered_stream entered;
    if (!context || (!items && count > 0) || !stream)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_stream_enter(context, stream, &entered);
    if (!status)
        status = kst_encoding_run_all(context, entered.gpu, items, count, &entered);
    kst_stream_leave(&entered);
    return status;
}
