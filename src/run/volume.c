/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the arguments of operations on volumes, and lets the codec of JPEG 2000 carry them out. */
#include "run/volume.h"

#include "core/report.h"
#include "image/volume.h"
#include "run/decoding.h"
#include "run/encoding.h"

static kst_status refuse(kst_report *to, kst_status status, const char *detail)
{
    kst_report own;
    kst_report_init(&own);
    kst_report_error(&own, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
    kst_report_copy(to, &own);
    return status;
}

static kst_status fail(kst_decoder *decoder, kst_status status, const char *detail)
{
    return kst_report_error(&decoder->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static void write_info(const kst_volume_info *from, kst_volume_info *to)
{
    const size_t size = to->size;
    *to = *from;
    to->size = size;
}

/* Check a caller's volume against the one that decoding makes, or allocate it. */
static kst_status settle_volume(kst_decoder *decoder, const kst_volume *described, kst_volume *volume)
{
    uint64_t bytes;
    if (!volume->data) {
        const kst_memory memory = volume->memory;
        *volume = *described;
        volume->memory = memory;
        kst_status status = kst_volume_make(&decoder->memory, volume);
        return status ? fail(decoder, status, NULL) : KST_OK;
    }
    kst_status status = kst_volume_check(volume, &bytes);
    if (status)
        return fail(decoder, status, NULL);
    if (volume->width != described->width || volume->height != described->height || volume->depth != described->depth)
        return fail(decoder, KST_ERROR_IMAGE_SIZE, "the volume's");
    if (volume->bits != described->bits || volume->is_signed != described->is_signed)
        return fail(decoder, KST_ERROR_IMAGE_DEPTH, "the volume's");
    return KST_OK;
}

static kst_status decode_to(
    kst_decoder *decoder, const kst_volume_decode_options *options, const kst_volume *described, kst_volume *volume)
{
    struct progress progress;
    const kst_volume before = *volume;
    kst_status status = KST_OK;
    if (!kst_progress_begin(&progress, options->progress))
        return fail(decoder, KST_ERROR_CANCELLED, NULL);
    status = settle_volume(decoder, described, volume);
    if (!status)
        status = decoder->codec->decode_volume(decoder, options, volume, &progress);
    if (!status)
        kst_progress_end(&progress);
    if (!status && !before.data)
        kst_memory_hand_over(&decoder->memory, &decoder->context->memory, volume->owned);
    if (status && !before.data) {
        kst_memory_release(&decoder->memory, volume->owned);
        *volume = before;
    }
    return status;
}

static kst_status run(kst_decoder *decoder, const struct volume_request *request)
{
    kst_volume_decode_options options;
    kst_volume described;
    kst_volume_info info = {.size = sizeof info};
    kst_volume_decode_options_init(&options);
    if (request->options)
        options = *request->options;
    if (!decoder->codec->decode_volume)
        return fail(decoder, KST_ERROR_SIGNATURE, "volumes are JPEG 2000");
    kst_decoder_begin(decoder, &decoder->parsed);
    kst_volume_init(&described);
    kst_status status = decoder->codec->describe_volume(decoder, &options, &described, &info);
    if (status)
        return fail(decoder, status, NULL);
    if (request->info)
        write_info(&info, request->info);
    if (request->samples)
        return decode_to(decoder, &options, &described, request->volume);
    if (request->volume)
        *request->volume = described;
    return KST_OK;
}

kst_status kst_volume_run_decode(
    kst_context *context, const void *data, size_t length, const struct volume_request *request, kst_report *report)
{
    const kst_volume_decode_options *o = request->options;
    kst_decoder decoder;
    if (!context || !data || (request->volume && request->volume->size < sizeof *request->volume) ||
        (request->samples && !request->volume) || (request->info && request->info->size < sizeof *request->info))
        return refuse(report, KST_ERROR_ARGUMENT, NULL);
    if (o && (o->size != sizeof *o || !kst_progress_is_fine(o->progress)))
        return refuse(report, KST_ERROR_OPTIONS, "not set up by kst_volume_decode_options_init()");
    kst_decoder_start(&decoder, context);
    kst_status status = kst_decoder_open(&decoder, data, length);
    if (!status)
        status = run(&decoder, request);
    kst_report_copy(report, &decoder.report);
    kst_decoder_close(&decoder);
    return status;
}

kst_status kst_volume_run_encode(kst_context *context, const kst_volume *volume, const kst_volume_options *options,
    kst_buffer *output, kst_report *report)
{
    kst_volume_options own;
    kst_report made;
    uint64_t bytes;
    if (!context || !volume || volume->size < sizeof *volume || !volume->data || !output)
        return refuse(report, KST_ERROR_ARGUMENT, NULL);
    kst_volume_options_init(&own);
    if (options && options->size != sizeof *options)
        return refuse(report, KST_ERROR_OPTIONS, "not set up by kst_volume_options_init()");
    if (options)
        own = *options;
    kst_volume copy = *volume;
    kst_status status = kst_volume_check(&copy, &bytes);
    if (status)
        return refuse(report, status, NULL);
    kst_report_init(&made);
    status = kst_codec_named(KST_CODEC_JPEG2000)->encode_volume(context, &copy, &own, output, &made);
    kst_report_copy(report, &made);
    return status;
}
