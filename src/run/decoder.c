/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a stream in a decoder by its codec, and closes it. */
#include <string.h>

#include "core/report.h"
#include "run/decoding.h"
#include "run/device.h"

void kst_decoder_start(kst_decoder *decoder, kst_context *context)
{
    *decoder = (struct kst_decoder){.context = context};
    kst_memory_init_beside(&decoder->memory, &context->memory, context->limits.memory);
    kst_report_init(&decoder->report);
}

static void drop_state(kst_decoder *decoder)
{
    kst_memory_release(&decoder->context->memory, decoder->state);
    decoder->state = NULL;
}

void kst_decoder_close(kst_decoder *decoder)
{
    if (!decoder->open)
        return;
    kst_metadata_list_release(&decoder->memory, &decoder->metadata);
    decoder->codec->close(decoder);
    drop_state(decoder);
    decoder->open = false;
}

void kst_decoder_begin(kst_decoder *decoder, const kst_report *from)
{
    kst_report_init(&decoder->report);
    if (from)
        decoder->report = *from;
    memcpy(decoder->report.device, decoder->context->device, sizeof decoder->report.device);
    decoder->report.threads = 1;
}

kst_status kst_decoder_fail(kst_decoder *decoder, kst_status status)
{
    kst_report_error(&decoder->report, status, KST_NO_OFFSET, NULL);
    kst_context_log(decoder->context, KST_LOG_ERROR, "decode: %s", decoder->report.message);
    return status;
}

/*
 * Open the stream by its codec. Like the decoder itself, the codec's state belongs to the context and counts against no
 * limit.
 */
static kst_status open_with_codec(kst_decoder *decoder, enum opening_purpose purpose)
{
    const struct codec *codec = decoder->codec;
    kst_status status = KST_OK;
    decoder->state = kst_memory_zeroed(&decoder->context->memory, 1, codec->state_size, &status);
    if (!status)
        status = codec->open(decoder, decoder->data, decoder->length, purpose);
    if (status)
        drop_state(decoder);
    return status;
}

kst_status kst_decoder_open_for(kst_decoder *decoder, const void *data, size_t length, enum opening_purpose purpose)
{
    kst_decoder_close(decoder);
    kst_decoder_begin(decoder, NULL);
    if (!data && length > 0)
        return kst_decoder_fail(decoder, KST_ERROR_ARGUMENT);
    double start = kst_seconds();
    decoder->codec = kst_codec_of(data, length);
    decoder->data = data;
    decoder->length = length;
    kst_status status = open_with_codec(decoder, kst_context_gpu_if_open(decoder->context) ? purpose : OPEN_TO_LOOK);
    if (status)
        return kst_decoder_fail(decoder, status);
    decoder->open = true;
    kst_report_stage(&decoder->report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    decoder->parsed = decoder->report;
    return KST_OK;
}
