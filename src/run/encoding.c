/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes one picture by its codec: checks what all codecs need, chooses the device, and passes the bytes to the
 * caller.
 */
#include "run/encoding.h"

#include <string.h>

#include "core/report.h"
#include "image/allocate.h"
#include "run/image.h"

kst_status kst_encoding_fail(struct encoding *e, kst_status status, const char *detail)
{
    return kst_report_error(&e->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

kst_status kst_encoding_bring_rows(struct encoding *e)
{
    const kst_rows *rows = e->rows;
    e->brought = e->image;
    e->brought.owned = NULL;
    kst_status status = kst_image_make(&e->memory, &e->brought);
    for (uint32_t i = 0; !status && i < e->brought.plane_count; i++) {
        const kst_plane *plane = &e->brought.plane[i];
        uint8_t *to = plane->data;
        for (uint32_t y = 0; !status && y < plane->height; y++, to += plane->pitch)
            if (!rows->read(rows->user, i, 0, y, plane->width, to))
                status = kst_encoding_fail(e, KST_ERROR_ROWS, NULL);
    }
    if (!status) {
        e->image = e->brought;
        e->rows = NULL;
    }
    return status;
}

kst_status kst_encoding_find_source(struct encoding *e)
{
    struct gpu_error error = {.status = KST_OK};
    if (kst_gpu_image_source(e->gpu, &e->image, &e->source, &e->planes, &error))
        return KST_OK;
    return kst_encoding_fail(e, error.status, error.text);
}

/* Choose the device that encodes: find out where the pixels lie, and whether a GPU can encode them. */
static kst_status choose_device(struct encoding *e)
{
    const struct codec *codec = e->codec;
    bool device = kst_memory_is_device(e->image.memory);
    double seconds = (double)e->image.width * e->image.height * codec->encode_seconds;
    if (e->rows)
        return codec->place_rows(e, seconds);
    if (device && e->image.plane_count > KST_IMAGE_PLANES_MAX)
        return kst_encoding_fail(e, KST_ERROR_IMAGE_MEMORY, "more than four planes are for host memory");
    e->gpu = device ? kst_context_gpu(e->context) : kst_context_gpu_for(e->context, seconds, codec->encode_least);
    if (!e->gpu)
        return device ? kst_encoding_fail(e, KST_ERROR_IMAGE_MEMORY, "the context works on the CPU") : KST_OK;
    kst_status status = kst_encoding_find_source(e);
    if (!status)
        e->on_gpu = codec->takes_picture(e);
    return status;
}

/* Allocate the codec's state. Like the encoding itself, it belongs to the context and counts against no limit. */
static kst_status make_state(struct encoding *e)
{
    kst_status status = KST_OK;
    if (e->codec->encoding_size > 0)
        e->state = kst_memory_zeroed(&e->context->memory, 1, e->codec->encoding_size, &status);
    return status ? kst_encoding_fail(e, status, NULL) : KST_OK;
}

static void release(struct encoding *e)
{
    kst_image_drop(&e->memory, &e->brought);
    kst_memory_release(&e->context->memory, e->state);
    e->state = NULL;
}

static kst_status plan(struct encoding *e)
{
    kst_status status = make_state(e);
    if (!status)
        status = e->codec->plan_encoding(e);
    return status ? status : choose_device(e);
}

kst_status kst_encoding_begin(struct encoding *e, kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output)
{
    *e = (struct encoding){.context = context, .rows = rows, .output = output};
    kst_report_init(&e->report);
    if (!image || image->size < sizeof *image || !output)
        return kst_encoding_fail(e, KST_ERROR_ARGUMENT, NULL);
    e->image = *image;
    kst_encode_options_init(&e->options);
    if (options && options->size != sizeof *options)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "not set up by kst_encode_options_init()");
    if (options)
        e->options = *options;
    if (!kst_progress_is_fine(e->options.progress))
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "progress");
    e->codec = kst_codec_named(e->options.codec);
    kst_memory_init_beside(&e->memory, &context->memory, context->limits.memory);
    memcpy(e->report.device, context->device, sizeof e->report.device);
    e->report.threads = kst_pool_threads(context->pool);
    double start = kst_seconds();
    if (rows && rows->in_order && (e->image.plane_count > 1 || (!e->codec->reads_rows_once && !rows->again)))
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "rows in order are of one plane, and begin again for JPEG 2000");
    kst_status status = plan(e);
    kst_report_stage(&e->report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    if (!status && !kst_progress_begin(&e->progress, e->options.progress))
        status = kst_encoding_fail(e, KST_ERROR_CANCELLED, NULL);
    if (!status)
        kst_sink_open(&e->sink, &e->memory, output);
    else
        release(e);
    return status;
}

/* Stands for rows that are not read but arrive from the caller. */
static const kst_rows arriving = {.size = sizeof arriving, .in_order = true};

kst_status kst_encoding_begin_lines(
    struct encoding *e, kst_context *context, const kst_image *image, const kst_encode_options *options)
{
    *e = (struct encoding){.context = context, .rows = &arriving};
    kst_report_init(&e->report);
    if (options->size != sizeof *options)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "not set up by kst_encode_options_init()");
    e->image = *image;
    e->options = *options;
    e->codec = kst_codec_named(options->codec);
    kst_memory_init_beside(&e->memory, &context->memory, context->limits.memory);
    kst_sink_init(&e->sink, &e->memory);
    e->report.threads = 1;
    kst_status status = make_state(e);
    if (!status)
        status = e->codec->plan_encoding(e);
    if (status)
        release(e);
    return status;
}

void kst_encoding_drop(struct encoding *e)
{
    release(e);
    kst_sink_release(&e->sink);
}

kst_status kst_encoding_end(struct encoding *e, kst_status status)
{
    kst_sink_flush(&e->sink);
    if (!status && e->sink.writer)
        status = e->sink.status;
    e->written = e->sink.passed;
    release(e);
    if (!status)
        kst_progress_end(&e->progress);
    if (status || e->sink.writer) {
        kst_sink_release(&e->sink);
        return status ? kst_encoding_fail(e, status, NULL) : KST_OK;
    }
    kst_sink_close(&e->sink, &e->context->memory, e->output);
    return KST_OK;
}

kst_status kst_encoding_run(struct encoding *e)
{
    return kst_encoding_end(e, e->codec->encode(e));
}
