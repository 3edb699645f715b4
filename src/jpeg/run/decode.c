/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens, decodes and transcodes JPEG for the entry points, on the GPU or the CPU, and reports damage. */
#include "jpeg/run/decode.h"

#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "image/normalise.h"
#include "jpeg/cpu/decode.h"
#include "jpeg/gpu/modules.h"
#include "jpeg/gpu/target.h"
#include "jpeg/run/decode_parts.h"
#include "jpeg/run/encode.h"
#include "jpeg/run/info.h"
#include "jpeg/run/line_encoder.h"
#include "jpeg/run/lines.h"
#include "jpeg/run/transcode_others.h"
#include "run/device.h"

static void drop_early(kst_decoder *decoder)
{
    if (kst_context_gpu_if_open(decoder->context))
        kst_jpeg_gpu_early_drop(kst_context_gpu_if_open(decoder->context), &jpeg_state(decoder)->early);
}

static void release_planned(kst_decoder *decoder)
{
    struct jpeg_decoder *state = jpeg_state(decoder);
    kst_jpeg_compact_release(&decoder->memory, &state->compact);
    kst_jpeg_cpu_blocks_release(&decoder->memory, &state->blocks);
}

static void release_stream(kst_decoder *decoder)
{
    kst_jpeg_stream_release(&decoder->memory, &jpeg_state(decoder)->stream);
    drop_early(decoder);
}

static kst_status assemble_metadata(kst_decoder *decoder)
{
    const struct operation op = kst_decoder_operation(decoder, NULL);
    const struct jpeg_stream *stream = &jpeg_state(decoder)->stream;
    return kst_jpeg_metadata_assemble(
        &op, stream->plan.data, stream->application, stream->application_count, false, &decoder->metadata);
}

/* Open a stream. If its data are pinned, they are uploaded while the headers are parsed. */
static kst_status open_stream(kst_decoder *decoder, const uint8_t *data, size_t length, enum opening_purpose purpose)
{
    struct kst_context *context = decoder->context;
    struct jpeg_decoder *state = jpeg_state(decoder);
    const struct operation op = kst_decoder_operation(decoder, NULL);
    kst_status (*parse)(const struct operation *, const uint8_t *, size_t, struct jpeg_stream *) =
        purpose == OPEN_TO_LOOK ? kst_jpeg_parse : kst_jpeg_parse_presuming;
    if (purpose == OPEN_TO_DECODE_ONCE && data)
        kst_jpeg_gpu_early_begin(kst_context_gpu_if_open(context), data, length, &state->early);
    kst_status status = parse(&op, data, length, &state->stream);
    if (status) {
        drop_early(decoder);
        return status;
    }
    status = assemble_metadata(decoder);
    if (status) {
        release_stream(decoder);
        return status;
    }
    kst_jpeg_run_info(&state->stream, decoder->metadata.orientation, &decoder->info);
    return KST_OK;
}

static void close_stream(kst_decoder *decoder)
{
    kst_jpeg_others_release(&decoder->memory, &jpeg_state(decoder)->others);
    release_planned(decoder);
    release_stream(decoder);
}

static kst_status describe(kst_decoder *decoder, const kst_decode_options *options, kst_image *stored)
{
    if (options->components || options->tile != KST_ALL_TILES)
        return KST_ERROR_OPTIONS;
    return kst_jpeg_output_describe(&jpeg_state(decoder)->stream.plan.frame, options, stored);
}

static bool fits_gpu(const struct decoding *d)
{
    const struct jpeg_gpu_item *item = &jpeg_state(d->decoder)->item;
    return kst_jpeg_gpu_supports(item) && kst_jpeg_gpu_memory(item, 1) <= d->decoder->context->limits.memory;
}

/*
 * Let the GPU read a copy of the data without the bytes that its kernels do not expect. If there is no memory for the
 * copy, the CPU decodes.
 */
static void fit_compact(struct decoding *d)
{
    struct memory *memory = &d->decoder->memory;
    struct jpeg_decoder *state = jpeg_state(d->decoder);
    if (state->stream.presumed || !kst_jpeg_gpu_wants_compact(&state->item) ||
        kst_jpeg_compact(memory, &state->stream.plan, &state->compact))
        return;
    state->item.plan = &state->compact;
    d->on_gpu = fits_gpu(d);
    if (d->on_gpu)
        return;
    state->item.plan = &state->stream.plan;
    kst_jpeg_compact_release(memory, &state->compact);
}

static void make_item(const struct decoding *d, struct jpeg_decoder *state)
{
    struct jpeg_gpu_item *item = &state->item;
    *item = (struct jpeg_gpu_item){.plan = &state->stream.plan,
        .delivery = d->target.delivery,
        .image = d->target.image,
        .orientation = d->orientation};
    if (!kst_sample_is_integer(d->options.sample))
        kst_normal_init(&item->normal, &d->options, 8, false);
    kst_jpeg_output_plan(&item->output, &item->plan->frame, &d->options, d->image);
}

/*
 * Choose shorter chunks for a short stream: as many as a few work-groups follow together. How short they may be depends
 * on the stream's fill bytes, which may not be known yet; confirm() checks again.
 */
static void shorten_chunks(struct jpeg_gpu_item *item)
{
    enum { SHORT = 48 << 10, SHORTEST = 12 << 10 };
    uint64_t length;
    kst_jpeg_gpu_scan_data(item->plan, &length);
    item->shorter = length <= SHORTEST ? WORK_CHUNK_BITS - WORK_SHORTEST_BITS : length <= SHORT;
    while (item->shorter > 0 && !kst_jpeg_gpu_supports(item))
        item->shorter--;
}

static kst_status place(struct decoding *d)
{
    struct jpeg_decoder *state = jpeg_state(d->decoder);
    make_item(d, state);
    shorten_chunks(&state->item);
    d->on_gpu = fits_gpu(d);
    if (!d->on_gpu)
        fit_compact(d);
    if (!d->on_gpu && !state->item.plan->single_scan) { /* the GPU makes only the pixels */
        state->item.coefficients = (struct jpeg_gpu_coefficients){&state->blocks, kst_jpeg_cpu_blocks_copy};
        d->on_gpu = d->alone = fits_gpu(d);
    }
    if (d->on_gpu) {
        kst_jpeg_gpu_route(d->gpu, &state->item);
        state->memory = kst_jpeg_gpu_memory(&state->item, 1);
    }
    return KST_OK;
}

static bool presumes(const kst_decoder *decoder)
{
    return jpeg_state(decoder)->stream.presumed;
}

static void confirm(struct decoding *d, struct pool *threads)
{
    struct jpeg_decoder *state = jpeg_state(d->decoder);
    d->mistaken = !kst_jpeg_confirm(threads, &state->stream) || (d->on_gpu && !kst_jpeg_gpu_supports(&state->item));
}

static kst_status decode_on_cpu(struct decoding *d, const kst_image *image)
{
    const struct operation op = kst_decoder_operation(d->decoder, &d->progress);
    return kst_jpeg_cpu_decode(&op, &jpeg_state(d->decoder)->stream.plan, &d->options, image);
}

/* Return whether the CPU has scans to read before the GPU makes pixels. */
static bool reads_scans(const struct decoding *d)
{
    return d->on_gpu && d->alone;
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
        if (stages[i] == KST_STAGE_ENTROPY && reads_scans(d))
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

/*
 * End a decoding. The device reports that there is damage, but not where: the CPU reads the stream again to find its
 * offset.
 */
static kst_status finish(struct decoding *d, const struct jpeg_gpu_damage *damage)
{
    const struct operation op = kst_decoder_operation(d->decoder, &d->progress);
    const struct jpeg_plan *plan = &jpeg_state(d->decoder)->stream.plan;
    if (reads_scans(d) || !is_damaged(plan, damage))
        return KST_OK;
    return kst_jpeg_cpu_damage(&op, plan, &d->options, d->image);
}

/*
 * Decode a picture on the CPU, from the start, that the device has left to it. The report says so, and counts the time
 * of the device's attempt, too.
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

kst_status kst_jpeg_run_decoding_settle(struct decoding *d, const struct jpeg_gpu_damage *damage,
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

/*
 * Stages of streams that are shorter than this are not timed, and their upload begins when the headers have been
 * parsed.
 */
enum { BRIEF_LENGTH = 1 << 17 };

static kst_status make_pixels(struct decoding *d)
{
    struct jpeg_decoder *state = jpeg_state(d->decoder);
    uint64_t length;
    kst_jpeg_gpu_scan_data(state->item.plan, &length);
    const struct jpeg_gpu_order order = {
        .after = d->after, .early = &state->early, .brief = length < BRIEF_LENGTH && !state->early.track};
    struct jpeg_gpu_damage damage = {0};
    struct jpeg_gpu_times times = {0};
    struct gpu_error error;
    struct jpeg_gpu_job *job = kst_jpeg_gpu_begin(d->gpu, &state->item, 1, &order, &error);
    kst_decoding_confirm(d, d->decoder->context->pool); /* beside the device */
    if (job)
        kst_jpeg_gpu_end(job, &damage, &times, &error);
    return kst_jpeg_run_decoding_settle(d, &damage, &times, &error);
}

/* Let the CPU's threads decode the scans to coefficients, because the GPU cannot. The GPU then makes the pixels. */
static kst_status read_scans(struct decoding *d)
{
    kst_decoder *decoder = d->decoder;
    struct jpeg_decoder *state = jpeg_state(decoder);
    double start = kst_seconds();
    const struct operation op = kst_decoder_operation(decoder, &d->progress);
    kst_status status = kst_jpeg_cpu_blocks_decode(&op, &state->stream.plan, d->options.strict, &state->blocks);
    if (status)
        return kst_decoding_end(d, status);
    kst_report_stage(&decoder->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return make_pixels(d);
}

static kst_status run_on_gpu(struct decoding *d)
{
    return reads_scans(d) ? read_scans(d) : make_pixels(d);
}

static void release(struct decoding *d)
{
    release_planned(d->decoder);
}

static kst_status decode_rows(struct decoding *d, const kst_row_writer *writer, bool *taken)
{
    const struct operation op = kst_decoder_operation(d->decoder, NULL);
    (void)taken; /* any JPEG picture can be decoded in bands */
    return kst_jpeg_cpu_decode_rows(&op, &jpeg_state(d->decoder)->stream.plan, &d->options, d->image, writer);
}

static bool find_others(kst_decoder *decoder)
{
    const struct operation op = kst_decoder_operation(decoder, NULL);
    struct jpeg_decoder *state = jpeg_state(decoder);
    if (state->others_known)
        return true;
    state->others_known = true; /* after a failure the search is not repeated */
    kst_status status = kst_jpeg_others_find(&op, &state->stream, false, &state->others);
    return !status || !kst_decoder_fail(decoder, status);
}

static bool other(kst_decoder *decoder, size_t index, kst_other *other)
{
    const struct jpeg_others *others = &jpeg_state(decoder)->others;
    if (!find_others(decoder) || index >= others->count)
        return false;
    *other = others->other[index];
    return true;
}

static kst_status check_jpeg_options(struct transcoding *t)
{
    const kst_transcode_jpeg2000 *j = &t->options->jpeg2000;
    if (j->progression != -1 || j->reduce || j->layers || j->rate != 0 || j->division || j->part_by_part ||
        j->packet_lengths || j->tile_part_lengths || j->sop || j->eph || j->container)
        return kst_report_error(
            t->op.report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "layers, resolutions, packets and boxes are of JPEG 2000");
    return KST_OK;
}

kst_status kst_jpeg_run_transcode(struct transcoding *t, bool deep)
{
    kst_status status = check_jpeg_options(t);
    struct jpeg_transcoding first = {.context = t->context, .op = t->op, .options = t->options, .deep = deep};
    if (!status)
        status = kst_jpeg_run_transcode_file(&first, t->data, t->length, &t->sink);
    kst_jpeg_run_transcoding_close(&first);
    return status;
}

static kst_status transcode(struct transcoding *t)
{
    return kst_jpeg_run_transcode(t, false);
}

static const struct decode_parts parts = {.make = kst_jpeg_run_parts_make,
    .release = kst_jpeg_run_parts_release,
    .add = kst_jpeg_run_parts_add,
    .run = kst_jpeg_run_parts_run,
    .follow = kst_jpeg_run_parts_follow,
    .done = kst_jpeg_run_parts_done,
    .end = kst_jpeg_run_parts_end};

const struct codec kst_jpeg_run_codec = {.kind = KST_CODEC_JPEG,
    .decode_seconds = 11e-9,
    .decode_least = 0.21e-3,
    .kernels = &kst_jpeg_gpu_decoding,
    .state_size = sizeof(struct jpeg_decoder),
    .open = open_stream,
    .close = close_stream,
    .describe = describe,
    .place = place,
    .confirm = confirm,
    .presumes = presumes,
    .decode_on_cpu = decode_on_cpu,
    .run_on_gpu = run_on_gpu,
    .release = release,
    .parts = &parts,
    .decode_rows = decode_rows,
    .lines = &kst_jpeg_run_lines,
    .encoded_lines = &kst_jpeg_run_encoded_lines,
    .other = other,
    .encode_seconds = 1.8e-9,
    .encode_least = 0.075e-3,
    .encoding_size = sizeof(struct jpeg_encoder),
    .reads_rows_once = true,
    .plan_encoding = kst_jpeg_run_encoding_plan,
    .takes_picture = kst_jpeg_run_encoding_suits,
    .place_rows = kst_jpeg_run_encoding_place_rows,
    .encode = kst_jpeg_run_encode,
    .encode_parts = &kst_jpeg_run_encode_parts,
    .transcode = transcode};
