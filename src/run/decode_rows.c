/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes to the caller's function for rows, which gets the picture as a whole or in bands, that is, a few rows at a
 * time.
 */
#include <kostka/kostka_writer.h>

#include "core/report.h"
#include "run/decoding.h"
#include "run/device.h"

/*
 * Return whether the picture can be decoded in bands: the CPU decodes it, it is not turned, and its samples are
 * interleaved integers. A GPU would make all pixels at once.
 */
static bool goes_in_bands(const kst_decoder *decoder, const kst_decode_options *options, const kst_image *image)
{
    bool turned = options->orient && decoder->metadata.orientation != 1;
    if (!decoder->codec->decode_rows || turned || options->sample != KST_SAMPLE_INTEGER ||
        kst_format_channels(image->format) == 0)
        return false;
    double seconds = (double)decoder->info.entropy_bytes * decoder->codec->decode_seconds;
    return !kst_context_gpu_for(decoder->context, seconds, decoder->codec->decode_least);
}

/* Decode in bands. `*taken` is cleared if the picture has to be decoded as a whole after all. */
static kst_status decode_in_bands(kst_decoder *decoder, const kst_decode_options *options, kst_image *image,
    const kst_row_writer *writer, bool *taken)
{
    kst_report *report = &decoder->report;
    struct decoding d = {.decoder = decoder, .options = *options, .image = image};
    if (options->strict && report->warnings > 0)
        return kst_report_error(report, report->first_warning, report->first_warning_offset, NULL);
    if (!kst_progress_begin(&d.progress, options->progress))
        return KST_ERROR_CANCELLED;
    kst_status status = decoder->codec->read_further ? decoder->codec->read_further(&d) : KST_OK;
    if (!status)
        status = decoder->codec->decode_rows(&d, writer, taken);
    if (status || !*taken)
        return status;
    kst_progress_end(&d.progress);
    if (report->warnings > 0)
        kst_context_log(decoder->context, KST_LOG_WARNING, "decode: %s", report->message);
    return KST_OK;
}

static kst_status decode_whole(kst_decoder *decoder, const kst_decode_options *options, const kst_row_writer *writer)
{
    kst_image image;
    kst_image_init(&image);
    kst_status status = kst_decoder_decode(decoder, options, &image);
    if (status)
        return status;
    bool good = writer->write(writer->user, 0, &image);
    kst_image_release(decoder->context, &image);
    return good ? KST_OK : kst_decoder_fail(decoder, KST_ERROR_WRITE);
}

kst_status kst_decoding_run_rows(kst_decoder *decoder, const kst_decode_options *options, const kst_row_writer *writer)
{
    kst_image stored, image;
    kst_decoder_begin(decoder, decoder->open ? &decoder->parsed : NULL);
    kst_status status = decoder->open ? kst_decoder_plan(decoder, options, &stored, &image) : KST_ERROR_STATE;
    if (status)
        return kst_decoder_fail(decoder, status);
    if (!goes_in_bands(decoder, options, &image))
        return decode_whole(decoder, options, writer);
    bool taken = true;
    status = decode_in_bands(decoder, options, &image, writer, &taken);
    if (!status && !taken)
        return decode_whole(decoder, options, writer);
    return status ? kst_decoder_fail(decoder, status) : KST_OK;
}
