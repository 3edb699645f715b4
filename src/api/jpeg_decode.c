/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions by which the entry points open, decode and transcode JPEG on the GPU or the CPU, and report damage. */
#include "api/jpeg_decode.h"

#include <string.h>

#include "api/device.h"
#include "api/info.h"
#include "api/transcode_others.h"
#include "core/report.h"
#include "image/normalise.h"
#include "jpeg/cpu/decode.h"
#include "jpeg/gpu/target.h"

static kst_status open_stream(kst_decoder *decoder, const uint8_t *data, size_t length, bool presuming)
{
    const kst_limits *limits = &decoder->context->limits;
    struct jpeg_stream *stream = &decoder->stream;
    kst_status (*parse)(struct pool *, struct memory *, const kst_limits *, const uint8_t *, size_t,
        struct jpeg_stream *, kst_report *) = presuming ? kst_jpeg_parse_presuming : kst_jpeg_parse_on;
    kst_status status = parse(decoder->context->pool, &decoder->memory, limits, data, length, stream, &decoder->report);
    if (status)
        return status;
    status = kst_jpeg_metadata_assemble(&decoder->memory, data, decoder->stream.application,
        decoder->stream.application_count, limits->metadata, false, &decoder->report, &decoder->metadata);
    if (status) {
        kst_jpeg_stream_release(&decoder->memory, &decoder->stream);
        return status;
    }
    kst_jpeg_info(&decoder->stream, decoder->metadata.orientation, &decoder->info);
    return KST_OK;
}

static void close_stream(kst_decoder *decoder)
{
    kst_jpeg_others_release(&decoder->memory, &decoder->others);
    decoder->others_known = false;
    kst_jpeg_stream_release(&decoder->memory, &decoder->stream);
}

static kst_status describe(kst_decoder *decoder, const kst_decode_options *options, kst_image *stored)
{
    if (options->components || options->tile != KST_ALL_TILES)
        return KST_ERROR_OPTIONS;
    return kst_jpeg_output_describe(&decoder->stream.plan.frame, options, stored);
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

static kst_status place(struct decoding *d)
{
    const kst_decoder *decoder = d->decoder;
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

static bool presumes(const kst_decoder *decoder)
{
    return decoder->stream.presumed;
}

static void confirm(struct decoding *d, struct pool *threads)
{
    d->mistaken = !kst_jpeg_confirm(threads, &d->decoder->stream) || (d->on_gpu && !kst_gpu_jpeg_supports(&d->item));
}

static kst_status decode_on_cpu(struct decoding *d, const kst_image *image)
{
    kst_decoder *decoder = d->decoder;
    return kst_jpeg_cpu_decode(
        decoder->context, &decoder->memory, &decoder->stream.plan, &d->options, image, &decoder->report);
}

bool kst_jpeg_reads_scans(const struct decoding *d)
{
    return d->on_gpu && d->item.coefficients.copy;
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
        if (stages[i] == KST_STAGE_ENTROPY && kst_jpeg_reads_scans(d))
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
    if (kst_jpeg_reads_scans(d) || !is_damaged(plan, damage))
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

kst_status kst_jpeg_decoding_settle(struct decoding *d, const struct jpeg_gpu_damage *damage,
    const struct jpeg_gpu_times *times, const struct gpu_error *error)
{
    kst_report *report = &d->decoder->report;
    kst_decoding_confirm(d, NULL);
    if (d->mistaken)
        return kst_decoding_again(d);
    if (error->status == KST_ERROR_DEVICE_FAILED)
        return kst_decoding_end(d, kst_report_error(report, error->status, KST_NO_OFFSET, "%s", error->text));
    if (error->status)
        return kst_decoding_end(d, error->status);
    if (damage->left)
        return kst_decoding_end(d, take_over(d, times));
    report_times(d, times);
    return kst_decoding_end(d, finish(d, damage));
}

static kst_status make_pixels(struct decoding *d)
{
    const struct jpeg_gpu_order order = {.after = d->after, .early = d->decoder->early};
    struct jpeg_gpu_damage damage = {0};
    struct jpeg_gpu_times times = {0};
    struct gpu_error error;
    kst_gpu_jpeg_route(d->gpu, &d->item);
    struct job *job = kst_gpu_jpeg_begin(d->gpu, &d->item, 1, &order, &error);
    kst_decoding_confirm(d, d->decoder->context->pool); /* beside the device */
    if (job)
        kst_gpu_jpeg_end(job, &damage, &times, &error);
    return kst_jpeg_decoding_settle(d, &damage, &times, &error);
}

/* The CPU's threads read the scans, because the GPU cannot, and the GPU makes the pixels of them. */
static kst_status read_scans(struct decoding *d)
{
    kst_decoder *decoder = d->decoder;
    const struct jpeg_plan *plan = &decoder->stream.plan;
    double start = kst_seconds();
    kst_status status = kst_jpeg_blocks_decode(
        decoder->context, &decoder->memory, plan, d->options.strict, &d->blocks, &decoder->report);
    if (status)
        return kst_decoding_end(d, status);
    kst_report_stage(&decoder->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    status = make_pixels(d);
    kst_jpeg_blocks_release(&decoder->memory, &d->blocks);
    return status;
}

static kst_status run_on_gpu(struct decoding *d)
{
    return kst_jpeg_reads_scans(d) ? read_scans(d) : make_pixels(d);
}

static void release(struct decoding *d)
{
    kst_jpeg_compact_release(&d->decoder->memory, &d->compact);
}

static kst_status decode_rows(
    kst_decoder *decoder, const kst_decode_options *options, const kst_image *image, const kst_row_writer *writer)
{
    return kst_jpeg_cpu_decode_rows(
        decoder->context, &decoder->memory, &decoder->stream.plan, options, image, writer, &decoder->report);
}

static bool find_others(kst_decoder *decoder)
{
    const struct kst_context *context = decoder->context;
    if (decoder->others_known)
        return true;
    decoder->others_known = true; /* what cannot be found will not be looked for again */
    kst_status status = kst_jpeg_others_find(
        context->pool, &decoder->memory, &context->limits, &decoder->stream, false, &decoder->others, &decoder->report);
    return status == KST_OK || kst_decoder_fail(decoder, status) == KST_OK;
}

static bool other(kst_decoder *decoder, size_t index, kst_other *other)
{
    if (!find_others(decoder) || index >= decoder->others.count)
        return false;
    *other = decoder->others.part[index];
    return true;
}

static kst_status check_jpeg_options(struct transcoding *t)
{
    const kst_transcode_jpeg2000 *j = &t->options->jpeg2000;
    if (j->progression != -1 || j->reduce || j->layers || j->rate != 0 || j->division || j->part_by_part ||
        j->packet_lengths || j->tile_part_lengths || j->sop || j->eph || j->container)
        return kst_report_error(
            t->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "layers, resolutions, packets and boxes are of JPEG 2000");
    return KST_OK;
}

static kst_status transcode(struct transcoding *t, const uint8_t *data, size_t length)
{
    kst_status status = check_jpeg_options(t);
    struct jpeg_transcoding first = {
        .context = t->context, .memory = &t->memory, .options = t->options, .report = t->report};
    if (status == KST_OK)
        status = kst_jpeg_transcode_file(&first, data, length, &t->sink);
    kst_jpeg_transcoding_close(&first);
    return status;
}

const struct codec kst_jpeg_codec = {.decode_seconds = 11e-9,
    .decode_least = 0.21e-3,
    .open = open_stream,
    .close = close_stream,
    .describe = describe,
    .place = place,
    .confirm = confirm,
    .presumes = presumes,
    .decode_on_cpu = decode_on_cpu,
    .run_on_gpu = run_on_gpu,
    .release = release,
    .decode_rows = decode_rows,
    .other = other,
    .transcode = transcode};
