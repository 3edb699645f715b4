/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens and decodes, for the entry points, the JPEG streams that the CPU decodes on every device: those of the lossless
 * process (T.81 H), which shares marker segments with the other processes and nothing else, and deep pictures, which
 * are those of the other processes with samples of 12 bits.
 */
#include <math.h>

#include "core/report.h"
#include "image/metadata.h"
#include "jpeg/cpu/deep.h"
#include "jpeg/cpu/lossless.h"
#include "jpeg/plan/lossless.h"
#include "jpeg/run/decode.h"
#include "jpeg/run/info.h"
#include "jpeg/syntax/marker.h"
#include "jpeg/syntax/others.h"
#include "run/decoding.h"

/* Holds what a decoder keeps of a stream. */
struct cpu_decoder {
    struct jpeg_stream stream;
    struct jpeg_others others; /* what follows the picture, once the caller has asked for it */
    bool others_known;
};

static struct cpu_decoder *state_of(const kst_decoder *decoder)
{
    return decoder->state;
}

static bool is_lossless(const uint8_t *data, size_t length)
{
    return data && kst_jpeg_find_first_frame(data, length).marker == JPEG_SOF3;
}

static bool is_deep(const uint8_t *data, size_t length)
{
    const struct jpeg_first_frame frame = data ? kst_jpeg_find_first_frame(data, length) : (struct jpeg_first_frame){0};
    return frame.marker >= JPEG_SOF0 && frame.marker <= JPEG_SOF2 && frame.precision == JPEG_DEEP;
}

typedef kst_status parse_function(
    const struct operation *op, const uint8_t *data, size_t length, struct jpeg_stream *stream);

static kst_status open_parsed(kst_decoder *decoder, const uint8_t *data, size_t length, parse_function *parse)
{
    const struct operation op = kst_decoder_operation(decoder, NULL);
    struct jpeg_stream *stream = &state_of(decoder)->stream;
    kst_status status = parse(&op, data, length, stream);
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

/* Open a stream of the lossless process. Nothing is presumed about its end, whatever the purpose. */
static kst_status open_lossless(kst_decoder *decoder, const uint8_t *data, size_t length, enum opening_purpose purpose)
{
    (void)purpose;
    return open_parsed(decoder, data, length, kst_jpeg_parse_lossless);
}

static kst_status open_deep(kst_decoder *decoder, const uint8_t *data, size_t length, enum opening_purpose purpose)
{
    (void)purpose;
    return open_parsed(decoder, data, length, kst_jpeg_parse_deep);
}

static void close_stream(kst_decoder *decoder)
{
    kst_jpeg_others_release(&decoder->memory, &state_of(decoder)->others);
    kst_jpeg_stream_release(&decoder->memory, &state_of(decoder)->stream);
}

static bool options_are_jpeg(const kst_decode_options *options)
{
    return !options->components && options->tile == KST_ALL_TILES;
}

static kst_status describe_lossless(kst_decoder *decoder, const kst_decode_options *options, kst_image *stored)
{
    if (!options_are_jpeg(options))
        return KST_ERROR_OPTIONS;
    return kst_jpeg_lossless_describe(&state_of(decoder)->stream.plan.frame, options, stored);
}

static kst_status describe_deep(kst_decoder *decoder, const kst_decode_options *options, kst_image *stored)
{
    if (!options_are_jpeg(options) || options->dct != KST_DCT_ACCURATE) /* there is no other for 12 bits */
        return KST_ERROR_OPTIONS;
    return kst_jpeg_output_describe(&state_of(decoder)->stream.plan.frame, options, stored);
}

static kst_status place(struct decoding *d)
{
    d->on_gpu = false;
    return KST_OK;
}

static kst_status decode_lossless(struct decoding *d, const kst_image *image)
{
    const struct operation op = kst_decoder_operation(d->decoder, &d->progress);
    return kst_jpeg_cpu_lossless_decode(&op, &state_of(d->decoder)->stream.plan, &d->options, image);
}

static kst_status decode_deep(struct decoding *d, const kst_image *image)
{
    const struct operation op = kst_decoder_operation(d->decoder, &d->progress);
    return kst_jpeg_cpu_deep_decode(&op, &state_of(d->decoder)->stream.plan, &d->options, image);
}

static void release(struct decoding *d)
{
    (void)d; /* place() made nothing */
}

static bool other(kst_decoder *decoder, size_t index, kst_other *other)
{
    const struct operation op = kst_decoder_operation(decoder, NULL);
    struct cpu_decoder *state = state_of(decoder);
    kst_status status = state->others_known ? KST_OK : kst_jpeg_others_find(&op, &state->stream, false, &state->others);
    state->others_known = true; /* after a failure the search is not repeated */
    if (status)
        kst_decoder_fail(decoder, status);
    if (status || index >= state->others.count)
        return false;
    *other = state->others.other[index];
    return true;
}

static kst_status transcode_lossless(struct transcoding *t)
{
    return kst_report_error(t->op.report, KST_ERROR_JPEG_LOSSLESS, KST_NO_OFFSET,
        "there are no coefficients to be rewritten; it can be converted");
}

static kst_status transcode_deep(struct transcoding *t)
{
    return kst_jpeg_run_transcode(t, true);
}

const struct codec kst_jpeg_run_lossless_codec = {.kind = KST_CODEC_JPEG,
    .decode_least = HUGE_VAL, /* no GPU is opened for it */
    .recognises = is_lossless,
    .state_size = sizeof(struct cpu_decoder),
    .open = open_lossless,
    .close = close_stream,
    .describe = describe_lossless,
    .place = place,
    .decode_on_cpu = decode_lossless,
    .release = release,
    .lines_status = KST_ERROR_JPEG_LOSSLESS,
    .other = other,
    .transcode = transcode_lossless};

const struct codec kst_jpeg_run_deep_codec = {.kind = KST_CODEC_JPEG,
    .decode_least = HUGE_VAL, /* the same */
    .recognises = is_deep,
    .state_size = sizeof(struct cpu_decoder),
    .open = open_deep,
    .close = close_stream,
    .describe = describe_deep,
    .place = place,
    .decode_on_cpu = decode_deep,
    .release = release,
    .lines_status = KST_ERROR_JPEG_PRECISION,
    .other = other,
    .transcode = transcode_deep};
