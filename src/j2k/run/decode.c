/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes an open stream on the CPU: as a whole or, if there is too little memory for that, one region after the other.
 */
#include "j2k/run/decode.h"

#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "j2k/cpu/convert.h"
#include "j2k/cpu/decode.h"
#include "j2k/cpu/rows.h"
#include "j2k/packets/output.h"
#include "j2k/run/region.h"
#include "j2k/run/walk.h"
#include "j2k/syntax/allowance.h"
#include "j2k/syntax/geometry.h"

/* Columns: while regions are at least this wide they start at the top, because finished rows are released early. */
enum { BROAD = 512 };

/* Holds the state of decoding the image, or a region of it, and the intermediate planes if there are any. */
struct j2k_rendering {
    kst_decoder *decoder;
    const kst_decode_options *options;
    const kst_image *image;
    struct j2k_rows *rows; /* receives the image's rows; null: the image has memory */
    bool whole;            /* rows cannot be handed out, because they are not finished in order */
    bool told; /* the report holds all warnings about packets, which must be so before regions are decoded */
    /* Regions do not skip packets, because the picture is damaged and was read as a whole without skipping any. */
    bool every_packet;
    double end;    /* progress at the end of this region */
    double excess; /* needed memory as a multiple of the memory that is left; at most 1: decoding was begun */
    uint64_t need; /* bytes that the decoding needs in all; 0: unknown */
    struct j2k_output output;
    struct j2k_channels channels;
    struct j2k_plan plan;
    struct j2k_rect shown[2]; /* regions of the image that were decoded before this one (see plan.h) */
    struct progress *progress;
    struct j2k_target *target; /* for each component */
    bool *wanted;              /* for each component */
    uint16_t **plane;          /* for each component, only with a conversion */
};

/* Return whether each channel of the image is simply a component of its own. */
static bool is_direct(const struct j2k_rendering *rendering)
{
    const struct j2k_channels *channels = &rendering->channels;
    kst_format format = rendering->image->format;
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

static void aim_raw(struct j2k_rendering *rendering)
{
    for (uint32_t i = 0; i < rendering->image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(rendering->image, i);
        uint32_t component = kst_j2k_output_component(rendering->options, i);
        rendering->wanted[component] = true;
        rendering->target[component] =
            (struct j2k_target){.data = plane->data, .pitch = plane->pitch, .stride = 1, .bytes = sample_bytes(plane)};
    }
}

/* Make decoded samples go directly to the image's planes or, if it is interleaved, between its other channels. */
static void aim_direct(struct j2k_rendering *rendering)
{
    const kst_image *image = rendering->image;
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    uint32_t samples = layout->channels;
    uint32_t count = samples ? samples : image->plane_count;
    for (uint32_t i = 0; i < count; i++) {
        const kst_plane *plane = &image->plane[samples ? 0 : i];
        uint32_t component = rendering->channels.channel[i].component;
        uint32_t place = samples ? kst_pixel_place(layout, i) : 0;
        rendering->wanted[component] = true;
        rendering->target[component] = (struct j2k_target){.data = (uint8_t *)plane->data + place * sample_bytes(plane),
            .pitch = plane->pitch,
            .stride = samples ? samples : 1,
            .bytes = sample_bytes(plane)};
    }
}

/* Return the area of a channel's component that is decoded. */
static struct j2k_rect area_of(const struct j2k_rendering *rendering, uint32_t component)
{
    const struct j2k_component_size size = kst_j2k_made_component(&j2k_state(rendering->decoder)->stream, component);
    return kst_j2k_divide(rendering->output.filter.region, size.dx, size.dy);
}

static void want_channels(struct j2k_rendering *rendering)
{
    for (uint32_t i = 0; i < rendering->channels.count; i++)
        rendering->wanted[rendering->channels.channel[i].component] = true;
}

static kst_status aim_between(struct j2k_rendering *rendering)
{
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < rendering->channels.count; i++) {
        uint32_t component = rendering->channels.channel[i].component;
        if (rendering->plane[component])
            continue;
        struct j2k_rect area = area_of(rendering, component);
        size_t width = area.x1 - area.x0, count = width * (area.y1 - area.y0);
        rendering->plane[component] = kst_memory_array(&rendering->decoder->memory, count, sizeof(uint16_t), &status);
        if (!rendering->plane[component])
            return kst_report_error(&rendering->decoder->report, status, KST_NO_OFFSET, NULL);
        rendering->target[component] = (struct j2k_target){.data = rendering->plane[component],
            .pitch = (ptrdiff_t)(width * sizeof(uint16_t)),
            .stride = 1,
            .bytes = sizeof(uint16_t)};
    }
    return KST_OK;
}

static kst_status convert(struct j2k_rendering *rendering)
{
    kst_decoder *decoder = rendering->decoder;
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    const struct j2k_palette *palette = &stream->file.palette;
    uint32_t depth = rendering->channels.channel[0].depth;
    struct j2k_conversion conversion = {.channels = &rendering->channels,
        .image = rendering->image,
        .shown = rendering->output.shown,
        .palette_last = palette->entries ? palette->entries - 1U : 0,
        .alpha = rendering->options->alpha * ((1U << depth) - 1) / 255};
    uint16_t *entries = NULL;
    kst_status status = KST_OK;
    size_t total = (size_t)palette->entries * J2K_CHANNELS_MAX;
    entries = kst_memory_array(&decoder->memory, total, sizeof *entries, &status);
    if (!entries)
        return kst_report_error(&decoder->report, status, KST_NO_OFFSET, NULL);
    for (uint32_t i = 0; i < rendering->channels.count; i++) {
        const struct j2k_channel *channel = &rendering->channels.channel[i];
        const struct j2k_component_size size = kst_j2k_made_component(stream, channel->component);
        conversion.source[i] = (struct j2k_conversion_source){.data = rendering->plane[channel->component],
            .area = area_of(rendering, channel->component),
            .dx = size.dx,
            .dy = size.dy};
        if (!channel->palette)
            continue;
        conversion.palette[i] = entries + (size_t)i * palette->entries;
        for (uint32_t k = 0; k < palette->entries; k++)
            conversion.palette[i][k] = (uint16_t)kst_j2k_palette_value(stream->data, palette, k, channel->column);
    }
    kst_j2k_cpu_convert(decoder->context->pool, &conversion);
    kst_memory_release(&decoder->memory, entries);
    return KST_OK;
}

/*
 * Read the packets without keeping a plan, for which there is no room, to collect the warnings and errors about them.
 */
static kst_status survey(struct j2k_rendering *rendering)
{
    const struct operation op = kst_decoder_operation(rendering->decoder, rendering->progress);
    return kst_j2k_survey(
        &op, &j2k_state(rendering->decoder)->stream, &rendering->output.filter, &rendering->plan.totals);
}

/*
 * Build the plan. If the packets were already read for the whole picture, a region does not report their warnings
 * again.
 */
static kst_status plan(struct j2k_rendering *rendering)
{
    kst_decoder *decoder = rendering->decoder;
    kst_report *report = &decoder->report;
    const kst_report before = *report;
    double start = kst_seconds();
    rendering->output.filter.components = rendering->wanted;
    kst_status status = kst_j2k_run_decoder_plan(decoder, &rendering->output.filter, &rendering->plan);
    bool room = status != KST_ERROR_LIMIT_MEMORY;
    if (status && room)
        return status;
    if (rendering->told || !room)
        *report = before;
    if (!rendering->told && !room && (status = survey(rendering)))
        return status;
    if (!rendering->told)
        rendering->every_packet = report->warnings > 0 && rendering->plan.totals.skipped_bytes == 0;
    rendering->told = true;
    kst_report_stage(report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    if (rendering->options->strict && report->warnings > 0)
        return kst_report_error(report, report->first_warning, report->first_warning_offset, NULL);
    memcpy(rendering->plan.shown, rendering->shown, sizeof rendering->shown);
    return room ? KST_OK : KST_ERROR_LIMIT_MEMORY;
}

/* Return whether the memory that is left suffices. A decoding that is begun has enough memory to finish. */
static bool has_room(struct j2k_rendering *rendering)
{
    kst_decoder *decoder = rendering->decoder;
    struct memory *memory = &decoder->memory;
    struct j2k_cpu_need need =
        kst_j2k_cpu_measure(memory, decoder->context->pool, &rendering->plan, rendering->target, rendering->rows);
    uint64_t left = kst_memory_left(memory);
    rendering->need = need.tile < J2K_NEED_UNKNOWN ? memory->limit - left + need.tile + need.threads : 0;
    rendering->excess = (double)(need.tile + need.threads) / (double)(left > 0 ? left : 1);
    return rendering->excess <= 1;
}

/*
 * While they grow, the lists of a plan leave buffers behind, which together are larger than the plan. If rows are
 * passed on so that a large picture is never in memory, free these buffers before rows of coefficients are allocated.
 */
static void drop_outgrown(const struct j2k_rendering *rendering)
{
    enum { MANY_BLOCKS = 1 << 15 };
    if (rendering->rows && rendering->plan.block_count > MANY_BLOCKS)
        kst_memory_trim(&rendering->decoder->memory);
}

static kst_status execute(struct j2k_rendering *rendering)
{
    kst_decoder *decoder = rendering->decoder;
    kst_report *report = &decoder->report;
    double start = kst_seconds();
    if (!has_room(rendering))
        return KST_ERROR_LIMIT_MEMORY;
    drop_outgrown(rendering);
    kst_progress_stage(rendering->progress, rendering->plan.block_count, rendering->end);
    const struct operation op = kst_decoder_operation(decoder, rendering->progress);
    kst_status status = rendering->rows
                            ? kst_j2k_cpu_decode_rows(
                                  &op, &rendering->plan, rendering->target, rendering->rows, rendering->options->strict)
                            : kst_j2k_cpu_decode(&op, &rendering->plan, rendering->target, rendering->options->strict);
    kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    report->threads = kst_pool_threads(decoder->context->pool);
    return status;
}

/* Decode components that a multiple component transform makes. A lack of memory is final. */
static kst_status run_made(struct j2k_rendering *rendering, bool direct)
{
    const kst_status status = direct ? KST_OK : aim_between(rendering);
    rendering->excess = 1;
    return status ? status
                  : kst_j2k_run_decode_made(rendering->decoder, rendering->options, rendering->output.filter.region,
                        rendering->target, rendering->progress);
}

/* Plan and decode. The packets are read, and their warnings reported, before intermediate planes are allocated. */
static kst_status run(struct j2k_rendering *rendering, bool direct)
{
    kst_status status = plan(rendering);
    rendering->whole = !status && rendering->rows && !kst_j2k_cpu_rows_suit(&rendering->plan, rendering->target);
    if (!status && !direct)
        status = aim_between(rendering);
    if (!status && !rendering->whole)
        status = execute(rendering);
    kst_j2k_plan_release(&rendering->decoder->memory, &rendering->plan);
    return status;
}

kst_status kst_j2k_run_refuse_depth(kst_decoder *decoder, const kst_decode_options *options)
{
    /* The offset from SOC of the first Ssiz, and the bytes of SIZ for each component (A.5.1). */
    enum { FIRST_SSIZ = 42, SSIZ = 3 };
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    const uint32_t count = options->components ? options->component_count : kst_j2k_made_count(stream);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = kst_j2k_output_component(options, i), depth = kst_j2k_made_component(stream, c).depth;
        const uint64_t where = stream->multi.sample ? 0 : FIRST_SSIZ + (uint64_t)SSIZ * c;
        if (depth > J2K_OUTPUT_DEPTH)
            return kst_report_error(&decoder->report, KST_ERROR_IMAGE_DEPTH, stream->start + where,
                "component %u has %u bits, and at most %d are decoded", (unsigned)c, (unsigned)depth, J2K_OUTPUT_DEPTH);
    }
    return KST_ERROR_IMAGE_DEPTH;
}

kst_status kst_j2k_run_check_enlarged(kst_decoder *decoder, const kst_image *image)
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

static kst_status allocate(struct j2k_rendering *rendering)
{
    struct memory *memory = &rendering->decoder->memory;
    const uint32_t count = kst_j2k_made_count(&j2k_state(rendering->decoder)->stream);
    kst_status status = KST_OK;
    rendering->target = kst_memory_zeroed(memory, count, sizeof *rendering->target, &status);
    rendering->wanted = kst_memory_zeroed(memory, count, sizeof *rendering->wanted, &status);
    rendering->plane = kst_memory_zeroed(memory, count, sizeof *rendering->plane, &status);
    return status ? kst_report_error(&rendering->decoder->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

static void release(struct j2k_rendering *rendering)
{
    struct memory *memory = &rendering->decoder->memory;
    for (uint32_t c = 0; rendering->plane && c < kst_j2k_made_count(&j2k_state(rendering->decoder)->stream); c++)
        kst_memory_release(memory, rendering->plane[c]);
    kst_memory_release(memory, rendering->target);
    kst_memory_release(memory, rendering->wanted);
    kst_memory_release(memory, rendering->plane);
}

static kst_status decode(struct j2k_rendering *rendering)
{
    bool direct = is_direct(rendering);
    if (rendering->image->format == KST_FORMAT_RAW)
        aim_raw(rendering);
    else if (direct)
        aim_direct(rendering);
    else
        want_channels(rendering);
    kst_status status =
        j2k_state(rendering->decoder)->stream.multi.sample ? run_made(rendering, direct) : run(rendering, direct);
    return status || direct ? status : convert(rendering);
}

static kst_status decode_output(struct j2k_rendering *rendering)
{
    rendering->excess = 2; /* a guess, until it is measured */
    rendering->need = 0;
    kst_status status = allocate(rendering);
    if (!status)
        status = decode(rendering);
    release(rendering);
    return status;
}

/* Describe the regions that were decoded before this one: the one above it, and the one to the left. */
static kst_status describe_before(struct j2k_rendering *rendering, kst_region region)
{
    const kst_region before[] = {{0, 0, rendering->image->width, region.y}, {0, region.y, region.x, region.height}};
    struct j2k_output output;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < 2 && !status; i++) {
        if (before[i].width == 0 || before[i].height == 0)
            continue;
        status = kst_j2k_run_region_describe(
            rendering->decoder, rendering->options, rendering->image->format, before[i], &output);
        rendering->shown[i] = output.filter.region;
    }
    return status;
}

/* Decode one region of the image of `whole`. */
static kst_status decode_region(struct j2k_rendering *whole, kst_region region)
{
    kst_decoder *decoder = whole->decoder;
    const kst_image *image = whole->image;
    struct j2k_rendering rendering = *whole;
    kst_image cut;
    kst_plane *more = NULL;
    kst_status status = describe_before(&rendering, region);
    if (!status)
        status = kst_j2k_run_region_describe(decoder, rendering.options, image->format, region, &rendering.output);
    if (!status)
        status = kst_j2k_run_region_image(&decoder->memory, image, region, &cut, &more);
    rendering.output.filter.every_packet = rendering.every_packet;
    for (uint32_t p = 0; p < image->plane_count && !status; p++) {
        kst_plane *plane = p < KST_IMAGE_PLANES_MAX ? &cut.plane[p] : &more[p - KST_IMAGE_PLANES_MAX];
        kst_region of_plane =
            kst_j2k_run_region_of_plane(decoder, rendering.options, &rendering.output, image->format, region, p);
        plane->data = (uint8_t *)plane->data + kst_j2k_run_region_cut(&cut, plane, of_plane);
    }
    rendering.image = &cut;
    rendering.end = ((double)region.y * image->width + (double)(region.x + region.width) * region.height) /
                    ((double)image->width * image->height);
    if (!status)
        status = decode_output(&rendering);
    kst_memory_release(&decoder->memory, more);
    whole->excess = rendering.excess;
    whole->need = rendering.need;
    return status;
}

/* Return whether the decoding failed for lack of memory before it was begun. */
static bool is_too_much(const struct j2k_rendering *rendering, kst_status status)
{
    return status == KST_ERROR_LIMIT_MEMORY && rendering->excess > 1;
}

static kst_status refuse(const struct j2k_rendering *rendering)
{
    kst_report *report = &rendering->decoder->report;
    if (rendering->need == 0)
        return kst_report_error(report, KST_ERROR_LIMIT_MEMORY, KST_NO_OFFSET, NULL);
    return kst_report_error(report, KST_ERROR_LIMIT_MEMORY, KST_NO_OFFSET, "it takes %llu bytes at least",
        (unsigned long long)rendering->need);
}

/*
 * Decode the regions in turn, row by row of regions. A region counts once in the progress, even if it is begun again.
 */
static kst_status decode_parts(struct j2k_rendering *whole)
{
    kst_report *report = &whole->decoder->report, row = *report;
    struct j2k_walk walk;
    kst_region region;
    kst_j2k_run_walk_begin(&walk, whole->image->width, whole->image->height, BROAD, whole->excess);
    while (kst_j2k_run_walk_region(&walk, &region)) {
        const kst_report before = *report;
        if (region.x == 0)
            row = before;
        kst_status status = decode_region(whole, region);
        if (is_too_much(whole, status)) {
            *report = before;
            if (!kst_j2k_run_walk_smaller(&walk, whole->excess))
                return refuse(whole);
            if (walk.next.x < region.x)
                *report = row;
            continue;
        }
        if (status)
            return status;
        kst_j2k_run_walk_on(&walk, region);
    }
    return KST_OK;
}

kst_status kst_j2k_run_decode(
    kst_decoder *decoder, const kst_decode_options *options, const kst_image *image, struct progress *progress)
{
    struct j2k_rendering rendering = {
        .decoder = decoder, .options = options, .image = image, .progress = progress, .end = 1};
    kst_image described;
    kst_status status = kst_j2k_output_describe(
        &j2k_state(decoder)->stream, options, &described, j2k_state(decoder)->more, &rendering.output);
    if (status)
        return status;
    kst_j2k_output_channels(&j2k_state(decoder)->stream, image->format, &rendering.channels);
    status = decode_output(&rendering);
    if (!is_too_much(&rendering, status) || !rendering.told)
        return status;
    kst_report_forgive(&decoder->report);
    return decode_parts(&rendering);
}

/* Return whether all channels come directly from tiles, no two of which lie beside each other. */
static bool is_in_rows(const struct j2k_rendering *rendering)
{
    const struct j2k_stream *stream = &j2k_state(rendering->decoder)->stream;
    return is_direct(rendering) && stream->size.columns == 1 && !stream->multi.sample;
}

kst_status kst_j2k_run_decode_rows(struct decoding *d, const kst_row_writer *writer, bool *taken)
{
    kst_decoder *decoder = d->decoder;
    struct j2k_rows rows;
    struct j2k_rendering rendering = {.decoder = decoder,
        .options = &d->options,
        .image = &rows.shape,
        .rows = &rows,
        .progress = &d->progress,
        .end = 1};
    kst_image described;
    kst_status status = kst_j2k_output_describe(
        &j2k_state(decoder)->stream, &d->options, &described, j2k_state(decoder)->more, &rendering.output);
    if (status)
        return status;
    kst_j2k_output_channels(&j2k_state(decoder)->stream, d->image->format, &rendering.channels);
    kst_j2k_cpu_rows_begin(&rows, writer, d->image);
    *taken = is_in_rows(&rendering);
    if (*taken)
        status = decode_output(&rendering);
    kst_j2k_cpu_rows_end(&rows);
    if (rendering.whole || is_too_much(&rendering, status))
        *taken = false;
    return *taken ? status : KST_OK;
}
