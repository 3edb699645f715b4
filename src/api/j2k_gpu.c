/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/j2k_gpu.h"

#include <string.h>

#include "api/decoding.h"
#include "core/report.h"
#include "j2k/output.h"

/* The channels of an image with more than one in a pixel: what each is, in the picture's order. */
static bool choose_interleaved(
    struct j2k_gpu_item *item, const struct j2k_channels *channels, const kst_decode_options *options)
{
    kst_format format = item->output.format;
    bool reversed = format == KST_FORMAT_BGR || format == KST_FORMAT_BGRA;
    bool grey = channels->colour == KST_COLOUR_GREY && format != KST_FORMAT_GREY;
    uint32_t colours = format == KST_FORMAT_CMYK ? 4 : format == KST_FORMAT_GREY ? 1 : 3;
    item->channels = kst_format_channels(format);
    for (uint32_t k = 0; k < item->channels; k++) {
        struct j2k_gpu_channel *channel = &item->channel[reversed && k < 3 ? 2 - k : k];
        if (k >= colours && !channels->has_alpha)
            *channel = (struct j2k_gpu_channel){
                .component = J2K_CONSTANT, .value = options->alpha * ((1U << channels->channel[0].depth) - 1) / 255};
        else
            channel->component = channels->channel[k >= colours ? channels->count - 1 : grey ? 0 : k].component;
    }
    return true;
}

/* False for what the kernels do not know: palettes, sYCC and channels of less than the picture's size. */
static bool choose_channels(
    struct j2k_gpu_item *item, const struct j2k_stream *stream, const kst_decode_options *options)
{
    struct j2k_channels channels;
    if (item->output.format == KST_FORMAT_RAW) {
        item->channels = item->output.plane_count;
        for (uint32_t k = 0; k < item->channels; k++)
            item->channel[k].component = kst_j2k_output_component(options, k);
        return true;
    }
    kst_j2k_channels(stream, &channels);
    for (uint32_t k = 0; k < channels.count; k++)
        if (channels.channel[k].palette)
            return false;
    if (channels.colour == KST_COLOUR_YCBCR || channels.enlarged)
        return false;
    if (item->output.format != KST_FORMAT_PLANAR)
        return choose_interleaved(item, &channels, options);
    item->channels = item->output.plane_count;
    for (uint32_t k = 0; k < item->channels; k++)
        item->channel[k].component = channels.channel[k].component;
    return true;
}

static bool is_whole(const struct decoding *d, struct j2k_rows rows)
{
    return rows.count == d->image->height;
}

static kst_status build(struct decoding *d, const bool *wanted, struct j2k_rows rows, struct j2k_plan *plan)
{
    kst_decoder *decoder = d->decoder;
    struct j2k_output output;
    kst_image described;
    double start = kst_seconds();
    kst_status status = kst_j2k_output_describe(&decoder->j2k, &d->options, &described, decoder->more, &output);
    if (status)
        return status;
    output.filter.components = wanted;
    if (!is_whole(d, rows)) {
        output.filter.region.y0 += rows.first;
        output.filter.region.y1 = output.filter.region.y0 + rows.count;
    }
    status = kst_j2k_plan_build(
        &decoder->memory, &decoder->context->limits, &decoder->j2k, &output.filter, plan, &decoder->report);
    if (!status)
        kst_report_stage(&decoder->report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    return status;
}

/* Bytes that a plan may take on the device. */
static uint64_t memory_limit(const struct decoding *d)
{
    uint64_t limit = d->decoder->context->limits.memory, half = d->gpu->gpu->info.memory / 2;
    limit = half > 0 && half < limit ? half : limit;
    return limit < J2K_GPU_MEMORY_MAX ? limit : J2K_GPU_MEMORY_MAX;
}

/* On failure, and where the device cannot, nothing of the plan is left. */
static kst_status plan_item(
    struct decoding *d, const bool *wanted, struct j2k_rows rows, struct j2k_planned *planned, enum j2k_fit *fit)
{
    kst_decoder *decoder = d->decoder;
    kst_report *report = &decoder->report, before = *report;
    *fit = J2K_FITS_NOT;
    kst_status status = build(d, wanted, rows, &planned->plan);
    if (status)
        return status;
    if (d->options.strict && report->warnings > 0)
        status = kst_report_error(report, report->first_warning, report->first_warning_offset, NULL);
    else if (kst_gpu_j2k_supports(&planned->plan))
        *fit = kst_gpu_j2k_memory(&planned->plan) <= memory_limit(d) ? J2K_FITS : J2K_FITS_IN_STRIPS;
    planned->item.plan = &planned->plan;
    if (!status && *fit == J2K_FITS)
        return KST_OK;
    kst_j2k_plan_release(&decoder->memory, &planned->plan);
    if (!status)
        *report = before;
    return status;
}

/* The rows of the image alone. Where it lies in host memory planes have their data, else buffers have offsets. */
static void cut(struct j2k_gpu_item *item, struct j2k_rows rows)
{
    item->output.height = rows.count;
    for (uint32_t i = 0; i < item->output.plane_count; i++) {
        kst_plane *plane = &item->output.plane[i];
        ptrdiff_t skipped = (ptrdiff_t)rows.first * plane->pitch;
        plane->height = rows.count;
        if (item->sink == JPEG_SINK_HOST)
            plane->data = (uint8_t *)plane->data + skipped;
        else
            item->image.offset[i] += (size_t)skipped;
    }
}

kst_status kst_j2k_gpu_plan(struct decoding *d, struct j2k_rows rows, enum j2k_fit *fit)
{
    kst_decoder *decoder = d->decoder;
    kst_status status = KST_OK;
    struct j2k_gpu_item item = {.output = *d->image, .sink = d->item.sink, .image = d->item.image};
    *fit = J2K_FITS_NOT;
    if (!choose_channels(&item, &decoder->j2k, &d->options))
        return KST_OK;
    if (!is_whole(d, rows))
        cut(&item, rows);
    struct j2k_planned *planned = kst_memory_zeroed(&decoder->memory, 1, sizeof *planned, &status);
    bool *wanted = kst_memory_zeroed(&decoder->memory, decoder->j2k.component_count, sizeof *wanted, &status);
    if (planned && wanted) {
        for (uint32_t k = 0; k < item.channels; k++)
            if (item.channel[k].component != J2K_CONSTANT)
                wanted[item.channel[k].component] = true;
        planned->item = item;
        status = plan_item(d, wanted, rows, planned, fit);
    }
    kst_memory_release(&decoder->memory, wanted);
    if (status || *fit != J2K_FITS)
        kst_memory_release(&decoder->memory, planned);
    else
        d->j2k = planned;
    if (*fit == J2K_FITS_IN_STRIPS && d->image->format == KST_FORMAT_RAW) /* planes may be of several heights */
        *fit = J2K_FITS_NOT;
    return status;
}

void kst_j2k_gpu_drop(struct decoding *d)
{
    if (!d->j2k)
        return;
    kst_j2k_plan_release(&d->decoder->memory, &d->j2k->plan);
    kst_memory_release(&d->decoder->memory, d->j2k);
    d->j2k = NULL;
}

void kst_j2k_gpu_run(
    struct decoding *d, struct j2k_gpu_damage *damage, struct j2k_gpu_times *times, struct gpu_error *error)
{
    const struct j2k_gpu_order order = {.after = d->after};
    *damage = (struct j2k_gpu_damage){0};
    *times = (struct j2k_gpu_times){{0}};
    kst_gpu_j2k_route(d->gpu, &d->j2k->item);
    struct j2k_job *job = kst_gpu_j2k_begin(d->gpu, &d->j2k->item, 1, &order, error);
    if (job)
        kst_gpu_j2k_end(job, damage, times, error);
}

kst_status kst_j2k_gpu_report(
    struct decoding *d, const struct j2k_gpu_damage *damage, const struct j2k_gpu_times *times)
{
    kst_report *report = &d->decoder->report;
    const struct gpu *gpu = d->gpu->gpu;
    const double *step = times->step;
    const double seconds[KST_STAGE_COUNT] = {[KST_STAGE_UPLOAD] = step[J2K_STEP_UPLOAD],
        [KST_STAGE_ENTROPY] = step[J2K_STEP_GATHER] + step[J2K_STEP_BLOCKS] + step[J2K_STEP_STORE],
        [KST_STAGE_PIXELS] = step[J2K_STEP_LEVELS] + step[J2K_STEP_OUTPUT],
        [KST_STAGE_DOWNLOAD] = step[J2K_STEP_DOWNLOAD]};
    static const kst_stage stages[] = {KST_STAGE_UPLOAD, KST_STAGE_ENTROPY, KST_STAGE_PIXELS, KST_STAGE_DOWNLOAD};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        report->stage_device[stages[i]] = gpu->info.kind;
        report->stage_seconds[stages[i]] += seconds[stages[i]];
    }
    memcpy(report->device, gpu->info.name, sizeof report->device);
    if (damage->blocks == 0)
        return KST_OK;
    uint64_t offset = damage->offset == UINT32_MAX ? UINT64_MAX : damage->offset;
    return kst_report_warning(report, KST_WARNING_J2K_DATA, offset, damage->blocks, d->options.strict);
}
