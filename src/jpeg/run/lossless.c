/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions by which the entry points open and decode JPEG of the lossless process (T.81 H), which shares marker
 * segments with the other processes and nothing else. The CPU decodes it.
 */
#include "jpeg/cpu/lossless.h"

#include <math.h>

#include "core/report.h"
#include "image/metadata.h"
#include "jpeg/plan/lossless.h"
#include "jpeg/run/info.h"
#include "jpeg/syntax/marker.h"
#include "jpeg/syntax/others.h"
#include "run/decoding.h"

/* Holds what a decoder keeps of a stream. */
struct lossless_decoder {
    struct jpeg_stream stream;
    struct jpeg_others others; /* what follows the picture, once the caller has asked for it */
    bool others_known;
};

static struct lossless_decoder *state_of(const kst_decoder *decoder)
{
    return decoder->state;
}

static bool recognises(const uint8_t *data, size_t length)
{
    return data && kst_jpeg_first_frame(data, length) == JPEG_SOF3;
}

static kst_status open_stream(kst_decoder *decoder, const uint8_t *data, size_t length, enum opening_purpose purpose)
{
    const struct operation op = kst_decoder_operation(decoder, NULL);
    struct jpeg_stream *stream = &state_of(decoder)->stream;
    (void)purpose; /* nothing is presumed */
    kst_status status = kst_jpeg_parse_lossless(&op, data, length, stream);
    if (status)
        return status;
    status = kst_jpeg_metadata_assemble(
        &op, data, stream->application, stream->application_count, false, &decoder->metadata);
    if (status)
        kst_jpeg_stream_release(&decoder->memory, stream);
    else
        kst_jpeg_run_info(stream, decoder->metadata.orientation, &decoder->info);
    return status;
}

static void close_stream(kst_decoder *decoder)
{
    kst_jpeg_others_release(&decoder->memory, &state_of(decoder)->others);
    kst_jpeg_stream_release(&decoder->memory, &state_of(decoder)->stream);
}

static kst_status describe(kst_decoder *decoder, const kst_decode_options *options, kst_image *stored)
{
    if (options->components || options->tile != KST_ALL_TILES)
        return KST_ERROR_OPTIONS;
    return kst_jpeg_lossless_describe(&state_of(decoder)->stream.plan.frame, options, stored);
}

static kst_status place(struct decoding *d)
{
    d->on_gpu = false;
    return KST_OK;
}

static kst_status decode_on_cpu(struct decoding *d, const kst_image *image)
{
    const struct operation op = kst_decoder_operation(d->decoder, &d->progress);
    return kst_jpeg_cpu_lossless_decode(&op, &state_of(d->decoder)->stream.plan, &d->options, image);
}

static void release(struct decoding *d)
{
    (void)d; /* place() made nothing */
}

static bool other(kst_decoder *decoder, size_t index, kst_other *other)
{
    const struct operation op = kst_decoder_operation(decoder, NULL);
    struct lossless_decoder *state = state_of(decoder);
    kst_status status = state->others_known ? KST_OK : kst_jpeg_others_find(&op, &state->stream, false, &state->others);
    state->others_known = true; /* parts that could not be found are not searched again */
    if (status)
        kst_decoder_fail(decoder, status);
    if (status || index >= state->others.count)
        return false;
    *other = state->others.other[index];
    return true;
}

static kst_status transcode(struct transcoding *t)
{
    return kst_report_error(t->op.report, KST_ERROR_JPEG_LOSSLESS, KST_NO_OFFSET,
        "there are no coefficients to be rewritten; it can be converted");
}

const struct codec kst_jpeg_run_lossless_codec = {.kind = KST_CODEC_JPEG,
    .decode_least = HUGE_VAL, /* no GPU is opened for it */
    .recognises = recognises,
    .state_size = sizeof(struct lossless_decoder),
    .open = open_stream,
    .close = close_stream,
    .describe = describe,
    .place = place,
    .decode_on_cpu = decode_on_cpu,
    .release = release,
    .other = other,
    .transcode = transcode};
