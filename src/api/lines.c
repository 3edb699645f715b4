/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the entry points of kst_lines, which decodes a stream line by line while its bytes arrive. */
#include "run/lines.h"

#include "core/context.h"
#include "core/report.h"
#include "image/format.h"

static bool honours(const kst_decode_options *options)
{
    bool interleaved = options->format == KST_FORMAT_AUTO ||
                       (kst_format_is_known(options->format) && kst_format_channels(options->format) > 0);
    return options->size == sizeof *options && interleaved && options->sample == KST_SAMPLE_INTEGER &&
           !options->orient && options->region.width == 0 && options->region.height == 0 && !options->components &&
           options->tile == KST_ALL_TILES && options->layers == 0;
}

static kst_status open_lines(struct kst_lines *lines, const void *data)
{
    const struct line_decoding *functions = lines->codec->lines;
    kst_status status = KST_OK;
    if (!honours(&lines->options))
        return KST_ERROR_OPTIONS;
    if (!functions)
        return lines->codec->lines_status ? lines->codec->lines_status : KST_ERROR_SIGNATURE;
    lines->state = kst_memory_zeroed(&lines->memory, 1, functions->state_size, &status);
    return status ? status : functions->open(lines, data);
}

kst_status kst_lines_open(
    kst_context *context, const void *data, size_t length, const kst_decode_options *options, kst_lines **lines)
{
    kst_status status = KST_OK;
    if (lines)
        *lines = NULL;
    if (!context || !data || !lines)
        return KST_ERROR_ARGUMENT;
    struct kst_lines *made = kst_memory_zeroed(&context->memory, 1, sizeof *made, &status);
    if (!made)
        return status;
    *made = (struct kst_lines){.context = context, .codec = kst_codec_of(data, length), .length = length};
    kst_memory_init_beside(&made->memory, &context->memory, context->limits.memory);
    kst_report_init(&made->report);
    kst_decode_options_init(&made->options);
    if (options)
        made->options = *options;
    status = open_lines(made, data);
    if (status) {
        kst_memory_release(&made->memory, made->state);
        kst_memory_release(&context->memory, made);
        return status;
    }
    *lines = made;
    return KST_OK;
}

void kst_lines_close(kst_lines **lines)
{
    if (!lines || !*lines)
        return;
    (*lines)->codec->lines->close(*lines);
    kst_memory_release(&(*lines)->memory, (*lines)->state);
    kst_memory_release(&(*lines)->context->memory, *lines);
    *lines = NULL;
}

kst_status kst_lines_describe(const kst_lines *lines, kst_image *image)
{
    if (!lines || !image)
        return KST_ERROR_ARGUMENT;
    *image = lines->image;
    return KST_OK;
}

kst_status kst_lines_extend(kst_lines *lines, const void *data, size_t length, bool whole)
{
    if (!lines || !data || length < lines->length)
        return KST_ERROR_ARGUMENT;
    lines->length = length;
    if (!lines->failed)
        lines->codec->lines->extend(lines, data, whole);
    return KST_OK;
}

kst_status kst_lines_read(kst_lines *lines, void *const *rows, uint32_t count, uint32_t *done)
{
    if (!lines || !done || (!rows && count > 0))
        return KST_ERROR_ARGUMENT;
    *done = 0;
    if (!lines->failed)
        lines->failed = lines->codec->lines->read(lines, rows, count, done);
    if (lines->failed)
        kst_report_error(&lines->report, lines->failed, KST_NO_OFFSET, NULL);
    return lines->failed;
}

uint64_t kst_lines_left(const kst_lines *lines)
{
    return lines ? lines->codec->lines->left(lines) : 0;
}

const kst_report *kst_lines_report(const kst_lines *lines)
{
    return lines ? &lines->report : NULL;
}
