/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the entry points of decoding: kst_decoder for one coded picture, kst_decode(), kst_decode_batch() and
 * kst_job.
 */
#include "core/report.h"
#include "image/orient.h"
#include "run/decoding.h"

void kst_decode_options_init(kst_decode_options *options)
{
    if (options)
        *options = (kst_decode_options){.size = sizeof *options, .alpha = 255, .tile = KST_ALL_TILES};
}

kst_status kst_decoder_create(kst_context *context, kst_decoder **decoder)
{
    kst_status status = KST_OK;
    if (!context || !decoder)
        return KST_ERROR_ARGUMENT;
    *decoder = kst_memory_zeroed(&context->memory, 1, sizeof **decoder, &status);
    if (*decoder)
        kst_decoder_start(*decoder, context);
    return status;
}

void kst_decoder_destroy(kst_decoder **decoder)
{
    if (!decoder || !*decoder)
        return;
    kst_decoder_close(*decoder);
    kst_memory_release(&(*decoder)->context->memory, *decoder);
    *decoder = NULL;
}

kst_status kst_decoder_open(kst_decoder *decoder, const void *data, size_t length)
{
    return decoder ? kst_decoder_open_for(decoder, data, length, OPEN_TO_LOOK) : KST_ERROR_ARGUMENT;
}

const kst_info *kst_decoder_info(const kst_decoder *decoder)
{
    return decoder && decoder->open ? &decoder->info : NULL;
}

const kst_metadata *kst_decoder_metadata(const kst_decoder *decoder, size_t index)
{
    return decoder && decoder->open && index < decoder->metadata.count ? &decoder->metadata.item[index] : NULL;
}

bool kst_decoder_other(kst_decoder *decoder, size_t index, kst_other *other)
{
    bool asked = decoder && other && other->size == sizeof *other && decoder->open && decoder->codec->other;
    return asked && decoder->codec->other(decoder, index, other);
}

bool kst_decoder_next_element(kst_decoder *decoder, kst_element *element)
{
    bool asked = decoder && element && element->size == sizeof *element && decoder->open;
    return asked && decoder->codec->next_element && decoder->codec->next_element(decoder, element);
}

bool kst_decoder_profile_breach(kst_decoder *decoder, size_t index, char *text)
{
    bool asked = decoder && text && decoder->open;
    return asked && decoder->codec->profile_breach && decoder->codec->profile_breach(decoder, index, text);
}

bool kst_decoder_claim_breach(kst_decoder *decoder, size_t index, kst_breach *breach)
{
    bool asked = decoder && breach && breach->size == sizeof *breach && decoder->open;
    return asked && decoder->codec->claim_breach && decoder->codec->claim_breach(decoder, index, breach);
}

const kst_report *kst_decoder_report(const kst_decoder *decoder)
{
    return decoder ? &decoder->report : NULL;
}

kst_status kst_decoder_describe(kst_decoder *decoder, const kst_decode_options *options, kst_image *image)
{
    kst_image stored;
    if (!decoder || !image)
        return KST_ERROR_ARGUMENT;
    kst_decoder_begin(decoder, decoder->open ? &decoder->parsed : NULL);
    kst_status status = decoder->open ? kst_decoder_plan(decoder, options, &stored, image) : KST_ERROR_STATE;
    return status ? kst_decoder_fail(decoder, status) : KST_OK;
}

kst_status kst_decoder_decode(kst_decoder *decoder, const kst_decode_options *options, kst_image *image)
{
    struct decoding decoding;
    if (!decoder || !image)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_decoding_begin(&decoding, decoder, options, image);
    return status ? status : kst_decoding_run(&decoding);
}

kst_status kst_decoder_decode_rows(
    kst_decoder *decoder, const kst_decode_options *options, const kst_row_writer *writer)
{
    kst_decode_options standard;
    if (!decoder || !writer || writer->size != sizeof *writer || !writer->write)
        return KST_ERROR_ARGUMENT;
    kst_decode_options_init(&standard);
    return kst_decoding_run_rows(decoder, options ? options : &standard, writer);
}

kst_status kst_decode(kst_context *context, const void *data, size_t length, const kst_decode_options *options,
    kst_image *image, kst_report *report)
{
    kst_report failed;
    if (context && image)
        return kst_decoding_run_once(context, data, length, options, image, report);
    kst_report_init(&failed);
    kst_report_error(&failed, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
    kst_report_copy(report, &failed);
    return KST_ERROR_ARGUMENT;
}

kst_status kst_decode_batch(kst_context *context, kst_decode_item *items, size_t count)
{
    if (!context || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    return kst_decoding_run_all(context, items, count);
}

kst_status kst_decode_describe_batch(kst_context *context, kst_decode_item *items, size_t count)
{
    if (!context || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    return kst_decoding_describe_all(context, items, count);
}

kst_status kst_decode_submit(
    kst_context *context, kst_decode_item *items, size_t count, const kst_stream *stream, kst_job **job)
{
    if (!job)
        return KST_ERROR_ARGUMENT;
    *job = NULL;
    if (!context || (!items && count > 0) || count > UINT32_MAX / 2)
        return KST_ERROR_ARGUMENT;
    return kst_decoding_submit(context, items, (uint32_t)count, stream, job);
}

bool kst_job_done(const kst_job *job)
{
    return !job || kst_decoding_done(job);
}

kst_status kst_job_wait(kst_job **job)
{
    if (!job || !*job)
        return KST_OK;
    kst_status status = kst_decoding_wait(*job);
    *job = NULL;
    return status;
}
