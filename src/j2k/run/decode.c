/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes an open stream on the CPU: as a whole, or part after part where there is too little memory. */
#include "j2k/run/decode.h"

#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "j2k/cpu/convert.h"
#include "j2k/cpu/decode.h"
#include "j2k/packets/output.h"
#include "j2k/run/part.h"
#include "j2k/run/walk.h"
#include "j2k/syntax/allowance.h"
#include "j2k/syntax/geometry.h"

enum { BROAD = 512 }; /* columns: parts begin at the top as long as they are no narrower, since rows come and go */

/* The image of one decoding, or a part of it, and the planes in between where it takes any. */
struct j2k_work {
    kst_decoder *decoder;
    const kst_decode_options *options;
    const kst_image *image;
    bool told;         /* what packets are warned of is in the report; without that nothing is decoded in parts */
    bool every_packet; /* parts skip no packets, as the whole, which is damaged, has skipped none */
    double end;        /* up to what it brings the progress */
    double excess;     /* how many times the memory that there is it would take; at most 1: it was begun */
    uint64_t need;     /* bytes, of all that there is of the decoding; 0: not known */
    struct j2k_output output;
    struct j2k_channels channels;
    struct j2k_plan plan;
    struct j2k_rect shown[2]; /* what of the image is there before this part of it (see plan.h) */
    struct progress *progress;
    struct j2k_target *target; /* of each component */
    bool *wanted;              /* likewise */
    uint16_t **plane;          /* likewise, only with a conversion */
};

/* Whether each channel of the image is a component of its own, as it stands. */
static bool is_direct(const struct j2k_work *work)
{
    const struct j2k_channels *channels = &work->channels;
    kst_format format = work->image->format;
    if (format == KST_FORMAT_RAW)
        return true;
    bool grey = channels->colour == KST_COLOUR_GREY, keeps = format == KST_FORMAT_GREY || format == KST_FORMAT_PLANAR;
    if ((grey && !keeps) || channels->colour == KST_COLOUR_YCBCR || channels->enlarged ||
        (kst_pixel_layout(format)->alpha && !channels->has_alpha))
        return false;
    for (uint32_t i = 0; i < channels->count; i++) {
        if (channels->channel[i].palette)
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (channels->channel[k].component == channels->channel[i].component)
                return false;
    }
    return true;
}

static uint8_t sample_bytes(const kst_plane *plane)
{
    return (uint8_t)kst_plane_sample_bytes(plane);
}

static void aim_raw(struct j2k_work *work)
{
    for (uint32_t i = 0; i < work->image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(work->image, i);
        uint32_t component = kst_j2k_output_component(work->options, i);
        work->wanted[component] = true;
        work->target[component] =
            (struct j2k_target){.data = plane->data, .pitch = plane->pitch, .step = 1, .bytes = sample_bytes(plane)};
    }
}

/* Straight into the image's planes, or between its other channels. */
static void aim_direct(struct j2k_work *work)
{
    const kst_image *image = work->image;
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    uint32_t samples = layout->channels;
    uint32_t count = samples ? samples : image->plane_count;
    for (uint32_t i = 0; i < count; i++) {
        const kst_plane *plane = &image->plane[samples ? 0 : i];
        uint32_t component = work->channels.channel[i].component;
        uint32_t place = samples ? kst_pixel_place(layout, i) : 0;
        work->wanted[component] = true;
        work->target[component] = (struct j2k_target){.data = (uint8_t *)plane->data + place * sample_bytes(plane),
            .pitch = plane->pitch,
            .step = samples ? samples : 1,
            .bytes = sample_bytes(plane)};
    }
}

/* The samples of a channel's component that are decoded. */
static struct j2k_rect area_of(const struct j2k_work *work, uint32_t component)
{
    const struct j2k_component_size *size = &j2k_state(work->decoder)->stream.component[component];
    return kst_j2k_divide(work->output.filter.region, size->dx, size->dy);
}

static void want_channels(struct j2k_work *work)
{
    for (uint32_t i = 0; i < work->channels.count; i++)
        work->wanted[work->channels.channel[i].component] = true;
}

static kst_status aim_between(struct j2k_work *work)
{
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < work->channels.count; i++) {
        uint32_t component = work->channels.channel[i].component;
        if (work->plane[component])
            continue;
        struct j2k_rect area = area_of(work, component);
        size_t width = area.x1 - area.x0, count = width * (area.y1 - area.y0);
        work->plane[component] = kst_memory_array(&work->decoder->memory, count, sizeof(uint16_t), &status);
        if (!work->plane[component])
            return kst_report_error(&work->decoder->report, status, KST_NO_OFFSET, NULL);
        work->target[component] = (struct j2k_target){.data = work->plane[component],
            .pitch = (ptrdiff_t)(width * sizeof(uint16_t)),
            .step = 1,
            .bytes = sizeof(uint16_t)};
    }
    return KST_OK;
}

static kst_status convert(struct j2k_work *work)
{
    kst_decoder *decoder = work->decoder;
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    const struct j2k_palette *palette = &stream->file.palette;
    uint32_t depth = work->channels.channel[0].depth;
    struct j2k_conversion conversion = {.channels = &work->channels,
        .image = work->image,
        .shown = work->output.shown,
        .palette_last = palette->entries ? palette->entries - 1U : 0,
        .alpha = work->options->alpha * ((1U << depth) - 1) / 255};
    uint16_t *entries = NULL;
    kst_status status = KST_OK;
    size_t total = (size_t)palette->entries * J2K_CHANNELS_MAX;
    entries = kst_memory_array(&decoder->memory, total, sizeof *entries, &status);
    if (!entries)
        return kst_report_error(&decoder->report, status, KST_NO_OFFSET, NULL);
    for (uint32_t i = 0; i < work->channels.count; i++) {
        const struct j2k_channel *channel = &work->channels.channel[i];
        const struct j2k_component_size *size = &stream->component[channel->component];
        conversion.source[i] = (struct j2k_conversion_source){.data = work->plane[channel->component],
            .area = area_of(work, channel->component),
            .dx = size->dx,
            .dy = size->dy};
        if (!channel->palette)
            continue;
        conversion.palette[i] = entries + (size_t)i * palette->entries;
        for (uint32_t k = 0; k < palette->entries; k++)
            conversion.palette[i][k] = (uint16_t)kst_j2k_palette_value(stream->data, palette, k, channel->column);
    }
    kst_j2k_convert(decoder->context->pool, &conversion);
    kst_memory_release(&decoder->memory, entries);
    return KST_OK;
}

/* What reading its packets warns of, or fails with, where their plan has no room. */
static kst_status survey(struct j2k_work *work)
{
    const struct operation op = kst_decoder_operation(work->decoder, work->progress);
    return kst_j2k_survey(&op, &j2k_state(work->decoder)->stream, &work->output.filter, &work->plan.totals);
}

/* Packets of a part that were read for the whole are not warned of again. */
static kst_status plan(struct j2k_work *work)
{
    kst_decoder *decoder = work->decoder;
    kst_report *report = &decoder->report;
    const kst_report before = *report;
    double start = kst_seconds();
    work->output.filter.components = work->wanted;
    kst_status status = kst_decoder_plan_j2k(decoder, &work->output.filter, &work->plan);
    bool room = status != KST_ERROR_LIMIT_MEMORY;
    if (status && room)
        return status;
    if (work->told || !room)
        *report = before;
    if (!work->told && !room && (status = survey(work)) != KST_OK)
        return status;
    if (!work->told)
        work->every_packet = report->warnings > 0 && work->plan.totals.skipped_bytes == 0;
    work->told = true;
    kst_report_stage(report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    if (work->options->strict && report->warnings > 0)
        return kst_report_error(report, report->first_warning, report->first_warning_offset, NULL);
    memcpy(work->plan.shown, work->shown, sizeof work->shown);
    return room ? KST_OK : KST_ERROR_LIMIT_MEMORY;
}

/* What it takes. A picture that has room is begun, and then ends. */
static bool has_room(struct j2k_work *work)
{
    kst_decoder *decoder = work->decoder;
    struct memory *memory = &decoder->memory;
    struct j2k_cpu_need need = kst_j2k_cpu_measure(memory, decoder->context->pool, &work->plan, work->target);
    uint64_t left = kst_memory_left(memory);
    work->need = need.tile < J2K_NEED_UNKNOWN ? memory->limit - left + need.tile + need.threads : 0;
    work->excess = (double)(need.tile + need.threads) / (double)(left > 0 ? left : 1);
    return work->excess <= 1;
}

static kst_status execute(struct j2k_work *work)
{
    kst_decoder *decoder = work->decoder;
    kst_report *report = &decoder->report;
    double start = kst_seconds();
    if (!has_room(work))
        return KST_ERROR_LIMIT_MEMORY;
    kst_progress_stage(work->progress, work->plan.block_count, work->end);
    const struct operation op = kst_decoder_operation(decoder, work->progress);
    kst_status status = kst_j2k_cpu_decode(&op, &work->plan, work->target, work->options->strict);
    kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    report->threads = kst_pool_threads(decoder->context->pool);
    return status;
}

/* What packets say is known, and told, before there is room for samples in between. */
static kst_status run(struct j2k_work *work, bool direct)
{
    kst_status status = plan(work);
    if (!status && !direct)
        status = aim_between(work);
    if (!status)
        status = execute(work);
    kst_j2k_plan_release(&work->decoder->memory, &work->plan);
    return status;
}

kst_status kst_j2k_refuse_depth(kst_decoder *decoder, const kst_decode_options *options)
{
    enum { FIRST_SSIZ = 42, SSIZ = 3 }; /* behind SOC, and what SIZ says of a component (A.5.1) */
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    uint32_t count = options->components ? options->component_count : stream->component_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = kst_j2k_output_component(options, i), depth = stream->component[c].depth;
        if (depth > J2K_OUTPUT_DEPTH)
            return kst_report_error(&decoder->report, KST_ERROR_IMAGE_DEPTH,
                stream->start + FIRST_SSIZ + (uint64_t)SSIZ * c, "component %u has %u bits, and at most %d are decoded",
                (unsigned)c, (unsigned)depth, J2K_OUTPUT_DEPTH);
    }
    return KST_ERROR_IMAGE_DEPTH;
}

kst_status kst_j2k_check_enlarged(kst_decoder *decoder, const kst_image *image)
{
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    struct j2k_channels channels;
    if (image->format == KST_FORMAT_RAW)
        return KST_OK;
    kst_j2k_output_channels(stream, image->format, &channels);
    uint64_t allowed = kst_j2k_allowance(&decoder->context->limits, J2K_ASKED_SAMPLES, stream);
    if ((uint64_t)image->width * image->height <= allowed / channels.count)
        return KST_OK;
    return kst_report_error(&decoder->report, KST_ERROR_LIMIT_WORK, stream->start,
        "%u channels of %u x %u pixels; components as they are may be fewer samples", (unsigned)channels.count,
        (unsigned)image->width, (unsigned)image->height);
}

static kst_status allocate(struct j2k_work *work)
{
    struct memory *memory = &work->decoder->memory;
    uint32_t count = j2k_state(work->decoder)->stream.component_count;
    kst_status status = KST_OK;
    work->target = kst_memory_zeroed(memory, count, sizeof *work->target, &status);
    work->wanted = kst_memory_zeroed(memory, count, sizeof *work->wanted, &status);
    work->plane = kst_memory_zeroed(memory, count, sizeof *work->plane, &status);
    return status ? kst_report_error(&work->decoder->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

static void release(struct j2k_work *work)
{
    struct memory *memory = &work->decoder->memory;
    for (uint32_t c = 0; work->plane && c < j2k_state(work->decoder)->stream.component_count; c++)
        kst_memory_release(memory, work->plane[c]);
    kst_memory_release(memory, work->target);
    kst_memory_release(memory, work->wanted);
    kst_memory_release(memory, work->plane);
}

static kst_status decode(struct j2k_work *work)
{
    bool direct = is_direct(work);
    if (work->image->format == KST_FORMAT_RAW)
        aim_raw(work);
    else if (direct)
        aim_direct(work);
    else
        want_channels(work);
    kst_status status = run(work, direct);
    return status || direct ? status : convert(work);
}

static kst_status decode_output(struct j2k_work *work)
{
    work->excess = 2; /* unless it is measured */
    work->need = 0;
    kst_status status = allocate(work);
    if (!status)
        status = decode(work);
    release(work);
    return status;
}

/* The parts above this one and those beside it that come before. */
static kst_status describe_before(struct j2k_work *work, kst_region part)
{
    const kst_region before[] = {{0, 0, work->image->width, part.y}, {0, part.y, part.x, part.height}};
    struct j2k_output output;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < 2 && !status; i++) {
        if (before[i].width == 0 || before[i].height == 0)
            continue;
        status = kst_j2k_part_describe(work->decoder, work->options, work->image->format, before[i], &output);
        work->shown[i] = output.filter.region;
    }
    return status;
}

/* Part of the image that `whole` has. */
static kst_status decode_part(struct j2k_work *whole, kst_region part)
{
    kst_decoder *decoder = whole->decoder;
    const kst_image *image = whole->image;
    struct j2k_work work = *whole;
    kst_image cut;
    kst_plane *more = NULL;
    kst_status status = describe_before(&work, part);
    if (!status)
        status = kst_j2k_part_describe(decoder, work.options, image->format, part, &work.output);
    if (!status)
        status = kst_j2k_part_image(&decoder->memory, image, part, &cut, &more);
    work.output.filter.every_packet = work.every_packet;
    for (uint32_t p = 0; p < image->plane_count && !status; p++) {
        kst_plane *plane = p < KST_IMAGE_PLANES_MAX ? &cut.plane[p] : &more[p - KST_IMAGE_PLANES_MAX];
        kst_region region = kst_j2k_part_of_plane(decoder, work.options, &work.output, image->format, part, p);
        plane->data = (uint8_t *)plane->data + kst_j2k_part_cut(&cut, plane, region);
    }
    work.image = &cut;
    work.end = ((double)part.y * image->width + (double)(part.x + part.width) * part.height) /
               ((double)image->width * image->height);
    if (!status)
        status = decode_output(&work);
    kst_memory_release(&decoder->memory, more);
    whole->excess = work.excess;
    whole->need = work.need;
    return status;
}

/* Whether memory was missing before it was begun. */
static bool is_too_much(const struct j2k_work *work, kst_status status)
{
    return status == KST_ERROR_LIMIT_MEMORY && work->excess > 1;
}

static kst_status refuse(const struct j2k_work *work)
{
    kst_report *report = &work->decoder->report;
    if (work->need == 0)
        return kst_report_error(report, KST_ERROR_LIMIT_MEMORY, KST_NO_OFFSET, NULL);
    return kst_report_error(
        report, KST_ERROR_LIMIT_MEMORY, KST_NO_OFFSET, "it takes %llu bytes at least", (unsigned long long)work->need);
}

/* One after the other, those beside each other first; what is begun again counts once. */
static kst_status decode_parts(struct j2k_work *whole)
{
    kst_report *report = &whole->decoder->report, row = *report;
    struct j2k_walk walk;
    kst_region part;
    kst_j2k_walk_begin(&walk, whole->image->width, whole->image->height, BROAD, whole->excess);
    while (kst_j2k_walk_part(&walk, &part)) {
        const kst_report before = *report;
        if (part.x == 0)
            row = before;
        kst_status status = decode_part(whole, part);
        if (is_too_much(whole, status)) {
            *report = before;
            if (!kst_j2k_walk_smaller(&walk, whole->excess))
                return refuse(whole);
            if (walk.next.x < part.x)
                *report = row;
            continue;
        }
        if (status)
            return status;
        kst_j2k_walk_on(&walk, part);
    }
    return KST_OK;
}

kst_status kst_j2k_decode(
    kst_decoder *decoder, const kst_decode_options *options, const kst_image *image, struct progress *progress)
{
    struct j2k_work work = {.decoder = decoder, .options = options, .image = image, .progress = progress, .end = 1};
    kst_image described;
    kst_status status = kst_j2k_output_describe(
        &j2k_state(decoder)->stream, options, &described, j2k_state(decoder)->more, &work.output);
    if (status)
        return status;
    kst_j2k_output_channels(&j2k_state(decoder)->stream, image->format, &work.channels);
    status = decode_output(&work);
    if (!is_too_much(&work, status) || !work.told)
        return status;
    kst_report_forgive(&decoder->report);
    return decode_parts(&work);
}
