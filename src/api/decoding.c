/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/decoding.h"

#include <string.h>

#include "api/image.h"
#include "api/j2k_decode.h"
#include "core/report.h"
#include "image/allocate.h"
#include "image/normalise.h"
#include "image/orient.h"
#include "image/validate.h"
#include "j2k/packets/output.h"
#include "jpeg/cpu/decode.h"
#include "jpeg/gpu/target.h"

static kst_status choose_options(const kst_decode_options *options, kst_decode_options *chosen)
{
    kst_decode_options_init(chosen);
    if (!options)
        return KST_OK;
    if (options->size != sizeof *options)
        return KST_ERROR_OPTIONS;
    *chosen = *options;
    if ((unsigned)options->sample > KST_SAMPLE_FLOAT32 || !kst_progress_is_fine(options->progress))
        return KST_ERROR_OPTIONS;
    bool changed = options->orient || options->sample != KST_SAMPLE_INTEGER;
    return changed && options->format == KST_FORMAT_RAW ? KST_ERROR_OPTIONS : KST_OK;
}

static int orientation_of(const kst_decoder *decoder, const kst_decode_options *options)
{
    return options->orient ? decoder->metadata.orientation : 1;
}

/* The same picture in floating-point samples. */
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
    struct j2k_output output;
    if (kst_decoder_is_jpeg(decoder) && (options->components || options->tile != KST_ALL_TILES))
        return KST_ERROR_OPTIONS;
    kst_status status = kst_decoder_is_jpeg(decoder)
                            ? kst_jpeg_output_describe(&decoder->stream.plan.frame, options, stored)
                            : kst_j2k_output_describe(&decoder->j2k, options, stored, decoder->more, &output);
    if (status == KST_ERROR_IMAGE_DEPTH)
        return kst_j2k_refuse_depth(decoder, options);
    if (!status && !kst_decoder_is_jpeg(decoder))
        status = kst_j2k_check_enlarged(decoder, stored);
    if (status)
        return status;
    *image = *stored;
    if (kst_orientation_swaps(orientation_of(decoder, options)))
        kst_image_swap_sides(image);
    return options->sample == KST_SAMPLE_INTEGER ? KST_OK : change_samples(options, stored, image);
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

/* The image's buffers are released, and it is what the caller handed over. */
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

/* Where the image lies, for the device. */
static kst_status look_at_image(struct decoding *d)
{
    struct gpu_error error = {.status = KST_OK};
    kst_context *context = d->decoder->context;
    bool device = kst_memory_is_device(d->image->memory);
    bool jpeg = kst_decoder_is_jpeg(d->decoder);
    if (device && d->image->plane_count > KST_IMAGE_PLANES_MAX)
        return refuse(d, "more than four planes are for host memory");
    double seconds =
        (double)d->decoder->info.entropy_bytes * (jpeg ? KST_SECONDS_TO_DECODE : KST_SECONDS_TO_DECODE_J2K);
    d->gpu = device ? kst_context_gpu(context)
                    : kst_context_gpu_for(context, seconds, jpeg ? KST_LEAST_TO_DECODE : KST_LEAST_TO_DECODE_J2K);
    if (!d->gpu)
        return device ? refuse(d, "the context works on the CPU") : KST_OK;
    if (kst_gpu_jpeg_target(d->gpu, d->image, &d->item, &error))
        return KST_OK;
    return kst_report_error(&d->decoder->report, error.status, KST_NO_OFFSET, "%s", error.text);
}

static bool fits_gpu(const struct decoding *d)
{
    return kst_gpu_jpeg_supports(&d->item) && kst_gpu_jpeg_memory(&d->item, 1) <= d->decoder->context->limits.memory;
}

/* The GPU may read the data once what it does not expect among them is gone. Without memory for that the CPU does. */
static void fit_compact(struct decoding *d)
{
    kst_decoder *decoder = d->decoder;
    if (decoder->stream.presumed || !kst_gpu_jpeg_wants_compact(&d->item) ||
        kst_jpeg_compact(&decoder->memory, &decoder->stream.plan, &d->compact))
        return;
    d->item.plan = &d->compact;
    d->on_gpu = fits_gpu(d);
    if (d->on_gpu)
        return;
    d->item.plan = &decoder->stream.plan;
    kst_jpeg_compact_release(&decoder->memory, &d->compact);
}

/* Whether the GPU carries it out. */
static kst_status choose_place(struct decoding *d)
{
    const kst_decoder *decoder = d->decoder;
    if (!d->gpu)
        return KST_OK;
    if (!kst_decoder_is_jpeg(decoder)) {
        bool suits = d->orientation == 1 || d->image->format != KST_FORMAT_RAW; /* which the CPU refuses */
        enum j2k_fit fit = J2K_FITS_NOT;
        const kst_region all = {0, 0, d->image->width, d->image->height};
        kst_status status = suits ? kst_j2k_gpu_plan(d, all, &fit) : KST_OK;
        d->on_gpu = d->j2k != NULL;
        d->in_strips = fit == J2K_FITS_IN_STRIPS;
        return status;
    }
    if (d->options.sample != KST_SAMPLE_INTEGER)
        kst_normal_init(&d->item.normal, &d->options, 8, false);
    d->item.plan = &decoder->stream.plan;
    d->item.orientation = d->orientation;
    kst_jpeg_output_plan(&d->item.output, &decoder->stream.plan.frame, &d->options, d->image);
    d->on_gpu = fits_gpu(d);
    if (!d->on_gpu)
        fit_compact(d);
    if (!d->on_gpu && !d->item.plan->single_scan) { /* the pixels alone */
        d->item.coefficients = (struct jpeg_gpu_coefficients){&d->blocks, kst_jpeg_blocks_copy};
        d->on_gpu = fits_gpu(d);
    }
    return KST_OK;
}

/* What opening has left for later. Options that cannot be are told of afterwards. */
static kst_status read_further(struct decoding *d)
{
    kst_decoder *decoder = d->decoder;
    struct j2k_output output;
    kst_image described;
    if (kst_decoder_is_jpeg(decoder) ||
        kst_j2k_output_describe(&decoder->j2k, &d->options, &described, decoder->more, &output))
        return KST_OK;
    return kst_j2k_open_further(decoder, &output.filter);
}

static kst_status plan(struct decoding *d, const kst_decode_options *options)
{
    kst_decoder *decoder = d->decoder;
    kst_report *report = &decoder->report;
    kst_image wanted;
    kst_status status = choose_options(options, &d->options);
    if (!status)
        status = read_further(d);
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
    return status ? status : choose_place(d);
}

/* What is left to do in the end, whatever became of it. */
static kst_status end(struct decoding *d, kst_status status)
{
    kst_decoder *decoder = d->decoder;
    kst_j2k_gpu_drop(d);
    kst_jpeg_compact_release(&decoder->memory, &d->compact);
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

/* Open the stream once more, presuming nothing, and plan anew. */
static kst_status begin_again(struct decoding *d, const kst_decode_options *options)
{
    kst_decoder *decoder = d->decoder;
    kst_image *image = d->image;
    const struct gpu_event *after = d->after;
    const struct progress progress = d->progress;
    if (d->made)
        unmake_image(d);
    kst_status status = kst_decoder_open(decoder, decoder->stream.plan.data, decoder->stream.plan.length);
    if (status)
        return status;
    status = begin(d, decoder, options, image);
    d->after = after;
    d->progress = progress;
    return status ? end(d, status) : KST_OK;
}

kst_status kst_decoding_begin(
    struct decoding *d, kst_decoder *decoder, const kst_decode_options *options, kst_image *image)
{
    kst_status status = begin(d, decoder, options, image);
    if (status && decoder->open && decoder->stream.presumed)
        status = begin_again(d, options);
    else if (status)
        status = end(d, status);
    if (!status && !kst_progress_begin(&d->progress, d->options.progress))
        status = end(d, KST_ERROR_CANCELLED);
    return status;
}

void kst_decoding_confirm(struct decoding *d, struct pool *threads)
{
    kst_decoder *decoder = d->decoder;
    double start = kst_seconds();
    if (!decoder->stream.presumed)
        return;
    d->mistaken = !kst_jpeg_confirm(threads, &decoder->stream) || (d->on_gpu && !kst_gpu_jpeg_supports(&d->item));
    decoder->report.stage_seconds[KST_STAGE_PARSE] += kst_seconds() - start;
}

static kst_status decode_again(struct decoding *d)
{
    const kst_decode_options options = d->options;
    kst_status status = begin_again(d, &options);
    return status ? status : kst_decoding_run(d);
}

static kst_status run_on_cpu(struct decoding *d)
{
    kst_decoding_confirm(d, d->decoder->context->pool);
    if (d->mistaken)
        return decode_again(d);
    return end(d, kst_decoding_on_cpu(d));
}

bool kst_decoding_reads_scans(const struct decoding *d)
{
    return d->on_gpu && !d->j2k && d->item.coefficients.copy;
}

static void report_times(struct decoding *d, const struct jpeg_gpu_times *times)
{
    kst_report *report = &d->decoder->report;
    const double seconds[KST_STAGE_COUNT] = {[KST_STAGE_UPLOAD] = times->upload,
        [KST_STAGE_ENTROPY] = times->entropy,
        [KST_STAGE_PIXELS] = times->pixels,
        [KST_STAGE_DOWNLOAD] = times->download};
    static const kst_stage stages[] = {KST_STAGE_UPLOAD, KST_STAGE_ENTROPY, KST_STAGE_PIXELS, KST_STAGE_DOWNLOAD};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (stages[i] == KST_STAGE_ENTROPY && kst_decoding_reads_scans(d))
            continue;
        report->stage_device[stages[i]] = d->gpu->gpu->info.kind;
        memcpy(report->device, d->gpu->gpu->info.name, sizeof report->device);
        report->stage_seconds[stages[i]] += seconds[stages[i]];
    }
}

static bool is_damaged(const struct jpeg_plan *plan, const struct jpeg_gpu_damage *damage)
{
    bool lost = false;
    for (uint32_t i = 0; i < plan->scan_count; i++)
        lost = lost || plan->scan[i].segment_count < plan->scan[i].interval_count;
    return lost || damage->ended > 0 || damage->invalid > 0 || damage->surplus > 0;
}

/* The device tells that there is damage; where the first of it is, reading once more does. */
static kst_status finish(struct decoding *d, const struct jpeg_gpu_damage *damage)
{
    kst_decoder *decoder = d->decoder;
    const struct jpeg_plan *plan = &decoder->stream.plan;
    if (kst_decoding_reads_scans(d) || !is_damaged(plan, damage))
        return KST_OK;
    return kst_jpeg_cpu_damage(decoder->context, &decoder->memory, plan, &d->options, d->image, &decoder->report);
}

/*
 * The device has left the picture to the CPU, which decodes it from the start, as the report says. The time of the
 * attempt counts, too.
 */
static kst_status take_over(struct decoding *d, const struct jpeg_gpu_times *times)
{
    kst_report *report = &d->decoder->report;
    report->stage_device[KST_STAGE_UPLOAD] = d->gpu->gpu->info.kind;
    report->stage_seconds[KST_STAGE_UPLOAD] += times->upload;
    report->stage_device[KST_STAGE_ENTROPY] = KST_DEVICE_CPU;
    report->stage_seconds[KST_STAGE_ENTROPY] += times->entropy;
    kst_context_log(d->decoder->context, KST_LOG_INFO,
        "decode: the codes cannot be told apart in parallel, so the CPU decodes the picture");
    return kst_decoding_on_cpu(d);
}

kst_status kst_decoding_settle(struct decoding *d, const struct jpeg_gpu_damage *damage,
    const struct jpeg_gpu_times *times, const struct gpu_error *error)
{
    kst_report *report = &d->decoder->report;
    kst_decoding_confirm(d, NULL);
    if (d->mistaken)
        return decode_again(d);
    if (error->status == KST_ERROR_DEVICE_FAILED)
        return end(d, kst_report_error(report, error->status, KST_NO_OFFSET, "%s", error->text));
    if (error->status)
        return end(d, error->status);
    if (damage->left)
        return end(d, take_over(d, times));
    report_times(d, times);
    return end(d, finish(d, damage));
}

kst_status kst_decoding_settle_j2k(struct decoding *d, const struct j2k_gpu_damage *damage,
    const struct j2k_gpu_times *times, const struct gpu_error *error)
{
    if (error->status == KST_ERROR_DEVICE_FAILED)
        return end(d, kst_report_error(&d->decoder->report, error->status, KST_NO_OFFSET, "%s", error->text));
    return end(d, error->status ? error->status : kst_j2k_gpu_report(d, damage, times));
}

static kst_status run_j2k(struct decoding *d)
{
    struct j2k_gpu_damage damage;
    struct j2k_gpu_times times;
    struct gpu_error error;
    kst_j2k_gpu_run(d, &damage, &times, &error);
    return kst_decoding_settle_j2k(d, &damage, &times, &error);
}

static kst_status run_on_gpu(struct decoding *d)
{
    if (d->j2k)
        return run_j2k(d);
    const struct jpeg_gpu_order order = {.after = d->after, .early = d->decoder->early};
    struct jpeg_gpu_damage damage = {0};
    struct jpeg_gpu_times times = {0};
    struct gpu_error error;
    kst_gpu_jpeg_route(d->gpu, &d->item);
    struct job *job = kst_gpu_jpeg_begin(d->gpu, &d->item, 1, &order, &error);
    kst_decoding_confirm(d, d->decoder->context->pool); /* beside the device */
    if (job)
        kst_gpu_jpeg_end(job, &damage, &times, &error);
    return kst_decoding_settle(d, &damage, &times, &error);
}

/* Scans that the GPU does not read, at once on the CPU's threads; the pixels on the GPU. */
static kst_status read_scans(struct decoding *d)
{
    kst_decoder *decoder = d->decoder;
    const struct jpeg_plan *plan = &decoder->stream.plan;
    double start = kst_seconds();
    kst_status status = kst_jpeg_blocks_decode(
        decoder->context, &decoder->memory, plan, d->options.strict, &d->blocks, &decoder->report);
    if (status)
        return end(d, status);
    kst_report_stage(&decoder->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    status = run_on_gpu(d);
    kst_jpeg_blocks_release(&decoder->memory, &d->blocks);
    return status;
}

static kst_status run_in_strips(struct decoding *d)
{
    kst_status status;
    return kst_j2k_gpu_strips(d, &status) ? end(d, status) : run_on_cpu(d);
}

kst_status kst_decoding_run(struct decoding *d)
{
    if (d->in_strips)
        return run_in_strips(d);
    if (!d->on_gpu)
        return run_on_cpu(d);
    return kst_decoding_reads_scans(d) ? read_scans(d) : run_on_gpu(d);
}
