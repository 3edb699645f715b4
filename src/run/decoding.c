/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries out one decoding: checks its options and image, plans it, decodes on the chosen device, and ends it. */
#include "run/decoding.h"

#include <string.h>

#include "core/report.h"
#include "image/allocate.h"
#include "image/format.h"
#include "image/normalise.h"
#include "image/orient.h"
#include "image/validate.h"
#include "run/image.h"

static kst_status choose_options(const kst_decode_options *options, kst_decode_options *chosen)
{
    kst_decode_options_init(chosen);
    if (!options)
        return KST_OK;
    if (options->size != sizeof *options)
        return KST_ERROR_OPTIONS;
    *chosen = *options;
    if ((unsigned)options->sample > KST_SAMPLE_INT32 || !kst_progress_is_fine(options->progress))
        return KST_ERROR_OPTIONS;
    bool changed = options->orient || !kst_sample_is_integer(options->sample);
    return changed && options->format == KST_FORMAT_RAW ? KST_ERROR_OPTIONS : KST_OK;
}

static int orientation_of(const kst_decoder *decoder, const kst_decode_options *options)
{
    return options->orient ? decoder->metadata.orientation : 1;
}

/* Describe the same picture with floating-point samples. */
static kst_status change_samples(const kst_decode_options *options, const kst_image *stored, kst_image *image)
{
    struct normal normal;
    if (image->format == KST_FORMAT_RAW ||
        !kst_normal_init(&normal, options, kst_plane_depth(&stored->plane[0]), stored->plane[0].is_signed))
        return KST_ERROR_OPTIONS;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        ptrdiff_t before = (ptrdiff_t)kst_plane_sample_bytes(plane);
        plane->sample = (uint8_t)options->sample;
        plane->pitch = plane->pitch / before * (ptrdiff_t)kst_plane_sample_bytes(plane);
        plane->depth = 0;
        plane->is_signed = false;
    }
    return KST_OK;
}

static kst_status describe(kst_decoder *decoder, const kst_decode_options *options, kst_image *stored, kst_image *image)
{
    kst_status status = decoder->codec->describe(decoder, options, stored);
    if (status)
        return status;
    *image = *stored;
    if (kst_orientation_swaps(orientation_of(decoder, options)))
        kst_image_swap_sides(image);
    if (!kst_sample_is_integer(options->sample))
        return change_samples(options, stored, image);
    return stored->plane[0].sample == options->sample ? KST_OK : KST_ERROR_OPTIONS;
}

kst_status kst_decoder_plan(
    kst_decoder *decoder, const kst_decode_options *options, kst_image *stored, kst_image *image)
{
    kst_decode_options chosen;
    kst_status status = choose_options(options, &chosen);
    return status ? status : describe(decoder, &chosen, stored, image);
}

static kst_status refuse(struct decoding *d, const char *text)
{
    return kst_report_error(&d->decoder->report, KST_ERROR_IMAGE_MEMORY, KST_NO_OFFSET, "%s", text);
}

/* Release the image's buffers, and restore the image that the caller passed. */
static void unmake_image(struct decoding *d)
{
    kst_image_drop_in(d->decoder->context, &d->decoder->memory, d->image);
    *d->image = d->before;
    d->made = false;
}

static kst_status make_image(struct decoding *d, const kst_image *wanted)
{
    kst_memory memory = d->image->memory;
    char message[128] = "";
    kst_image laid_out = *wanted;
    uint64_t total;
    d->before = *d->image;
    *d->image = *wanted;
    d->image->memory = memory;
    kst_status status = kst_image_make_in(d->decoder->context, &d->decoder->memory, d->image, message);
    d->made = !status;
    if (status)
        *d->image = d->before;
    if (status == KST_ERROR_LIMIT_MEMORY && !kst_image_lay_out(&laid_out, &total))
        return kst_report_error(
            &d->decoder->report, status, KST_NO_OFFSET, "the pixels alone take %llu bytes", (unsigned long long)total);
    if (status && message[0])
        return kst_report_error(&d->decoder->report, status, KST_NO_OFFSET, "%s", message);
    return status;
}

static kst_status check_image(const struct decoding *d, const kst_image *wanted)
{
    const kst_image *image = d->image;
    kst_status status = kst_memory_is_device(image->memory) ? kst_image_check_shape(image) : kst_image_check(image);
    return status ? status : kst_image_match(image, wanted);
}

/* Choose the GPU, if any, and find out how it reaches the image. */
static kst_status look_at_image(struct decoding *d)
{
    struct gpu_error error = {.status = KST_OK};
    kst_context *context = d->decoder->context;
    bool device = kst_memory_is_device(d->image->memory);
    const struct codec *codec = d->decoder->codec;
    if (device && d->image->plane_count > KST_IMAGE_PLANES_MAX)
        return refuse(d, "more than four planes are for host memory");
    double seconds = (double)d->decoder->info.entropy_bytes * codec->decode_seconds;
    d->gpu = device ? kst_context_gpu(context) : kst_context_gpu_for(context, seconds, codec->decode_least);
    if (!d->gpu)
        return device ? refuse(d, "the context works on the CPU") : KST_OK;
    if (kst_gpu_image_target(d->gpu, d->image, &d->target, &error))
        return KST_OK;
    return kst_report_error(&d->decoder->report, error.status, KST_NO_OFFSET, "%s", error.text);
}

static kst_status plan(struct decoding *d, const kst_decode_options *options)
{
    kst_decoder *decoder = d->decoder;
    kst_report *report = &decoder->report;
    kst_image wanted;
    kst_status status = choose_options(options, &d->options);
    if (!status && decoder->codec->read_further)
        status = decoder->codec->read_further(d);
    if (status)
        return status;
    if (d->options.strict && report->warnings > 0)
        return kst_report_error(report, report->first_warning, report->first_warning_offset, NULL);
    d->orientation = orientation_of(decoder, &d->options);
    status = describe(decoder, &d->options, &d->stored, &wanted);
    if (!status)
        status = d->image->plane[0].data ? check_image(d, &wanted) : make_image(d, &wanted);
    if (!status)
        status = look_at_image(d);
    return status || !d->gpu ? status : decoder->codec->place(d);
}

kst_status kst_decoding_end(struct decoding *d, kst_status status)
{
    kst_decoder *decoder = d->decoder;
    if (decoder->open)
        decoder->codec->release(d);
    if (status && d->made)
        unmake_image(d);
    else if (d->made)
        kst_image_keep(decoder->context, &decoder->memory, d->image);
    if (status)
        return kst_decoder_fail(decoder, status);
    kst_progress_end(&d->progress);
    if (decoder->report.warnings > 0)
        kst_context_log(decoder->context, KST_LOG_WARNING, "decode: %s", decoder->report.message);
    return KST_OK;
}

static kst_status begin(struct decoding *d, kst_decoder *decoder, const kst_decode_options *options, kst_image *image)
{
    *d = (struct decoding){.decoder = decoder, .image = image};
    kst_decoder_begin(decoder, decoder->open ? &decoder->parsed : NULL);
    if (!decoder->open)
        return KST_ERROR_STATE;
    return image->size == sizeof *image ? plan(d, options) : KST_ERROR_OPTIONS;
}

/* Open the stream again without any assumption, and plan again. */
static kst_status begin_again(struct decoding *d, const kst_decode_options *options)
{
    kst_decoder *decoder = d->decoder;
    kst_image *image = d->image;
    const struct gpu_event *after = d->after;
    const struct progress progress = d->progress;
    if (d->made)
        unmake_image(d);
    kst_status status = kst_decoder_open_for(decoder, decoder->data, decoder->length, OPEN_TO_LOOK);
    if (status)
        return status;
    status = begin(d, decoder, options, image);
    d->after = after;
    d->progress = progress;
    return status ? kst_decoding_end(d, status) : KST_OK;
}

static bool presumes(const kst_decoder *decoder)
{
    return decoder->codec->presumes && decoder->codec->presumes(decoder);
}

kst_status kst_decoding_begin(
    struct decoding *d, kst_decoder *decoder, const kst_decode_options *options, kst_image *image)
{
    kst_status status = begin(d, decoder, options, image);
    if (status && decoder->open && presumes(decoder))
        status = begin_again(d, options);
    else if (status)
        status = kst_decoding_end(d, status);
    if (!status && !kst_progress_begin(&d->progress, d->options.progress))
        status = kst_decoding_end(d, KST_ERROR_CANCELLED);
    return status;
}

void kst_decoding_confirm(struct decoding *d, struct pool *threads)
{
    double start = kst_seconds();
    if (!presumes(d->decoder))
        return;
    d->decoder->codec->confirm(d, threads);
    d->decoder->report.stage_seconds[KST_STAGE_PARSE] += kst_seconds() - start;
}

kst_status kst_decoding_again(struct decoding *d)
{
    const kst_decode_options options = d->options;
    kst_status status = begin_again(d, &options);
    return status ? status : kst_decoding_run(d);
}

kst_status kst_decoding_run_on_cpu(struct decoding *d)
{
    kst_decoding_confirm(d, d->decoder->context->pool);
    if (d->mistaken)
        return kst_decoding_again(d);
    return kst_decoding_end(d, kst_decoding_on_cpu(d));
}

kst_status kst_decoding_run(struct decoding *d)
{
    return d->on_gpu ? d->decoder->codec->run_on_gpu(d) : kst_decoding_run_on_cpu(d);
}

kst_status kst_decoding_run_in(kst_decoder *decoder, const void *data, size_t length, const kst_decode_options *options,
    kst_image *image, kst_report *report)
{
    struct decoding d;
    kst_status status = decoder->open ? KST_OK : kst_decoder_open_for(decoder, data, length, OPEN_TO_DECODE_ONCE);
    if (!status)
        status = kst_decoding_begin(&d, decoder, options, image);
    if (!status)
        status = kst_decoding_run(&d);
    kst_report_copy(report, &decoder->report);
    return status;
}

kst_status kst_decoding_run_once(kst_context *context, const void *data, size_t length,
    const kst_decode_options *options, kst_image *image, kst_report *report)
{
    struct kst_decoder decoder;
    kst_decoder_start(&decoder, context);
    kst_status status = kst_decoding_run_in(&decoder, data, length, options, image, report);
    kst_decoder_close(&decoder);
    return status;
}
