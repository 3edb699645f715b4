/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans a picture for the GPU, lets the device decode it, and reports what the device did and found. */
#include "j2k/run/decode_gpu.h"

#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "image/orient.h"
#include "j2k/cpu/host_blocks.h"
#include "j2k/gpu/block_coder.h"
#include "j2k/packets/output.h"
#include "j2k/run/decode.h"
#include "j2k/run/region.h"
#include "j2k/syntax/geometry.h"

/* Return whether channels must be made from components by enlarging, a palette or a colour conversion. */
static bool must_convert(const struct j2k_channels *channels)
{
    for (uint32_t i = 0; i < channels->count; i++)
        if (channels->channel[i].palette)
            return true;
    return channels->colour == KST_COLOUR_YCBCR || channels->enlarged;
}

/* Read the palette columns that channels use into a table for the kernels. */
static kst_status read_palettes(struct j2k_planned *planned, kst_decoder *decoder, const struct j2k_channels *channels)
{
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    const struct j2k_palette *palette = &stream->file.palette;
    struct j2k_gpu_conversion *conversion = &planned->item.conversion;
    kst_status status = KST_OK;
    size_t total = (size_t)palette->entries * channels->count;
    uint16_t *entry = planned->palette = kst_memory_array(&decoder->memory, total, sizeof *entry, &status);
    conversion->entries = palette->entries;
    for (uint32_t i = 0; entry && i < channels->count; i++) {
        if (!channels->channel[i].palette)
            continue;
        conversion->source[i].palette = entry;
        for (uint32_t k = 0; k < palette->entries; k++)
            *entry++ = (uint16_t)kst_j2k_palette_value(stream->data, palette, k, channels->channel[i].column);
    }
    return status;
}

/* Make every channel a source of a conversion. The places of their samples are known once the plan is built. */
static kst_status choose_sources(
    struct j2k_planned *planned, const struct decoding *d, const struct j2k_channels *channels)
{
    struct j2k_gpu_conversion *conversion = &planned->item.conversion;
    conversion->sources = channels->count;
    conversion->orientation = d->orientation;
    kst_normal_init(&conversion->normal, &d->options, channels->channel[0].depth, false);
    for (uint32_t i = 0; i < channels->count; i++)
        conversion->source[i].component = channels->channel[i].component;
    if (channels->colour == KST_COLOUR_YCBCR)
        conversion->ycc = channels->channel[0].depth;
    return read_palettes(planned, d->decoder, channels);
}

/* Return which of the picture's channels is channel k of the image; `count` for a channel with a constant value. */
static uint32_t channel_of(const struct j2k_channels *channels, kst_format format, uint32_t k)
{
    const struct pixel_layout *layout = kst_pixel_layout(format);
    if (layout->alpha && k == 3)
        return channels->has_alpha ? channels->count - 1 : channels->count;
    if (channels->colour == KST_COLOUR_GREY)
        return 0;
    return kst_pixel_place(layout, k);
}

static void choose_raw(struct j2k_gpu_item *item, const kst_decode_options *options)
{
    item->channels = item->output.plane_count;
    item->listed = options->components;
    for (uint32_t k = 0; k < item->channels && k < J2K_WORK_CHANNELS; k++)
        item->channel[k].component = kst_j2k_output_component(options, k);
}

static kst_status choose_channels(struct j2k_planned *planned, const struct decoding *d)
{
    struct j2k_gpu_item *item = &planned->item;
    const kst_decode_options *options = &d->options;
    kst_format format = item->output.format;
    struct j2k_channels channels;
    if (format == KST_FORMAT_RAW) {
        choose_raw(item, options);
        return KST_OK;
    }
    kst_j2k_output_channels(&j2k_state(d->decoder)->stream, format, &channels);
    bool converted = must_convert(&channels) || d->orientation != 1 || !kst_sample_is_integer(options->sample);
    uint32_t samples = kst_format_channels(format);
    item->channels = samples ? samples : item->output.plane_count;
    for (uint32_t k = 0; k < item->channels; k++) {
        uint32_t from = channel_of(&channels, format, k);
        if (from == channels.count)
            item->channel[k] = (struct j2k_gpu_channel){
                .component = J2K_CONSTANT, .value = options->alpha * ((1U << channels.channel[0].depth) - 1) / 255};
        else
            item->channel[k].component = converted ? from : channels.channel[from].component;
    }
    return converted ? choose_sources(planned, d, &channels) : KST_OK;
}

/* Mark the components that the item needs. */
static void mark_wanted(const struct j2k_gpu_item *item, bool *wanted)
{
    const struct j2k_gpu_conversion *conversion = &item->conversion;
    for (uint32_t s = 0; s < conversion->sources; s++)
        wanted[conversion->source[s].component] = true;
    for (uint32_t k = 0; conversion->sources == 0 && k < item->channels; k++) {
        const struct j2k_gpu_channel channel = j2k_gpu_channel_of(item, k);
        if (channel.component != J2K_CONSTANT)
            wanted[channel.component] = true;
    }
}

static bool is_whole(const struct decoding *d, kst_region region)
{
    return region.width == d->image->width && region.height == d->image->height;
}

/*
 * Return where a region of the image lies in the stored picture, whose rows may be columns of the image, or run in the
 * opposite direction.
 */
static kst_region stored_region(const struct decoding *d, kst_region region)
{
    int o = d->orientation;
    bool leftwards = o == 2 || o == 3 || o == 6 || o == 7, upwards = o == 3 || o == 4 || o >= 7;
    uint32_t x = leftwards ? d->image->width - region.x - region.width : region.x;
    uint32_t y = upwards ? d->image->height - region.y - region.height : region.y;
    return kst_orientation_swaps(o) ? (kst_region){y, x, region.height, region.width}
                                    : (kst_region){x, y, region.width, region.height};
}

static kst_status describe_region(struct decoding *d, kst_region region, struct j2k_output *output)
{
    kst_decoder *decoder = d->decoder;
    kst_image described;
    if (is_whole(d, region))
        return kst_j2k_output_describe(
            &j2k_state(decoder)->stream, &d->options, &described, j2k_state(decoder)->more, output);
    return kst_j2k_run_region_describe(decoder, &d->options, d->image->format, stored_region(d, region), output);
}

static kst_status build(struct decoding *d, struct j2k_output *output, struct j2k_planned *planned)
{
    kst_decoder *decoder = d->decoder;
    double start = kst_seconds();
    planned->item.conversion.x = output->shown.x0;
    planned->item.conversion.y = output->shown.y0;
    kst_status status = kst_j2k_run_decoder_plan(decoder, &output->filter, &planned->plan);
    if (!status)
        kst_report_stage(&decoder->report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    return status;
}

/* Return how many bytes a plan may take on the device. Two slabs are on the device at the same time. */
static uint64_t memory_limit(const struct decoding *d, kst_region region)
{
    uint64_t limit = d->decoder->context->limits.memory, half = d->gpu->gpu->info.memory / 2;
    limit = half > 0 && half < limit ? half : limit;
    limit = is_whole(d, region) ? limit : limit / 2;
    return limit < J2K_GPU_MEMORY_MAX ? limit : J2K_GPU_MEMORY_MAX;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Return the memory that the region needs, as a multiple of the available memory. */
static double excess_of(const struct decoding *d, kst_region region, const struct j2k_planned *planned)
{
    double memory = (double)planned->need.memory / (double)memory_limit(d, region);
    double buffer = (double)planned->need.largest / (double)d->gpu->gpu->largest;
    return larger(larger(memory, buffer), (double)planned->item.stream / (double)J2K_GPU_STREAM_MAX);
}

/*
 * Return whether offsets in the stream are too large for the kernels, which then could not locate damage. With slabs
 * this does not matter, because the CPU locates damage.
 */
static bool is_far(const struct decoding *d, const struct j2k_planned *planned)
{
    return planned->plan.length >= UINT32_MAX && !d->alone;
}

/*
 * Build the plan of a region, and find out whether the device can decode it. On failure, and if it does not fit, the
 * plan is released.
 */
static kst_status plan_item(
    struct decoding *d, struct j2k_output *output, kst_region region, struct j2k_planned *planned, enum j2k_fit *fit)
{
    kst_decoder *decoder = d->decoder;
    kst_report *report = &decoder->report, before = *report;
    struct j2k_gpu_block_words words;
    *fit = J2K_FITS_NOT;
    kst_status status = build(d, output, planned);
    if (status)
        return status;
    planned->item.plan = &planned->plan;
    if (d->options.strict && report->warnings > 0) {
        status = kst_report_error(report, report->first_warning, report->first_warning_offset, NULL);
    } else if (kst_j2k_gpu_can_decode(&planned->plan, &words)) {
        kst_j2k_gpu_route(d->gpu, &planned->item);
        planned->need = kst_j2k_gpu_need(&planned->item, &words, kst_j2k_gpu_threads(d->gpu));
        j2k_state(d->decoder)->excess = excess_of(d, region, planned);
        *fit = j2k_state(d->decoder)->excess <= 1 && !is_far(d, planned) ? J2K_FITS : J2K_FITS_IN_SLABS;
    }
    if (!status && *fit == J2K_FITS)
        return KST_OK;
    kst_j2k_plan_release(&decoder->memory, &planned->plan);
    if (!status)
        *report = before;
    return status;
}

/*
 * Make a plane begin at the region's corner: in host memory by its address, in a device's buffer by its offset, in an
 * image object by its coordinates.
 */
static void cut_plane(struct j2k_planned *planned, uint32_t p, kst_region region)
{
    struct j2k_gpu_item *item = &planned->item;
    kst_plane *plane = p < KST_IMAGE_PLANES_MAX ? &item->output.plane[p] : &planned->more[p - KST_IMAGE_PLANES_MAX];
    ptrdiff_t skipped = kst_j2k_run_region_cut(&item->output, plane, region);
    item->image.left = region.x;
    item->image.top = region.y;
    if (item->delivery == GPU_DELIVERY_HOST)
        plane->data = (uint8_t *)plane->data + skipped;
    else if (!item->image.picture)
        item->image.offset[p] += (size_t)skipped;
}

/* Reduce the item's image to the region. */
static kst_status cut(
    const struct decoding *d, const struct j2k_output *output, kst_region region, struct j2k_planned *planned)
{
    kst_image *image = &planned->item.output;
    if (is_whole(d, region))
        return KST_OK;
    kst_status status = kst_j2k_run_region_image(&d->decoder->memory, d->image, region, image, &planned->more);
    for (uint32_t p = 0; p < image->plane_count && !status; p++)
        cut_plane(planned, p, kst_j2k_run_region_of_plane(d->decoder, &d->options, output, image->format, region, p));
    return status;
}

void kst_j2k_run_decode_gpu_release(struct decoding *d, struct j2k_planned *planned)
{
    struct memory *memory = &d->decoder->memory;
    if (!planned)
        return;
    kst_j2k_plan_release(memory, &planned->plan);
    kst_memory_release(memory, planned->palette);
    kst_memory_release(memory, planned->more);
    kst_memory_release(memory, planned);
}

static kst_status plan_region(struct decoding *d, kst_region region, struct j2k_planned *planned, enum j2k_fit *fit)
{
    kst_decoder *decoder = d->decoder;
    struct j2k_output output;
    kst_status status = choose_channels(planned, d);
    if (!status)
        status = describe_region(d, region, &output);
    if (!status)
        status = cut(d, &output, region, planned);
    if (status)
        return status;
    bool *wanted =
        kst_memory_zeroed(&decoder->memory, j2k_state(decoder)->stream.component_count, sizeof *wanted, &status);
    if (!wanted)
        return status;
    mark_wanted(&planned->item, wanted);
    output.filter.components = wanted;
    status = plan_item(d, &output, region, planned, fit);
    kst_memory_release(&decoder->memory, wanted);
    return status;
}

kst_status kst_j2k_run_decode_gpu_plan(struct decoding *d, kst_region region, enum j2k_fit *fit)
{
    enum { MUCH = 2 }; /* a guess, because there is no memory for the plan that would tell */
    kst_decoder *decoder = d->decoder;
    const kst_report before = decoder->report;
    kst_status status = KST_OK;
    *fit = J2K_FITS_NOT;
    struct j2k_planned *planned = kst_memory_zeroed(&decoder->memory, 1, sizeof *planned, &status);
    if (!planned)
        return status;
    planned->item =
        (struct j2k_gpu_item){.output = *d->image, .delivery = d->target.delivery, .image = d->target.image};
    status = plan_region(d, region, planned, fit);
    if (status == KST_ERROR_LIMIT_MEMORY) {
        decoder->report = before;
        j2k_state(d->decoder)->excess = MUCH;
        *fit = J2K_FITS_NOT;
        status = KST_OK;
    }
    if (status || *fit != J2K_FITS)
        kst_j2k_run_decode_gpu_release(d, planned);
    else
        j2k_state(d->decoder)->planned = planned;
    return status;
}

void kst_j2k_run_decode_gpu_drop(struct decoding *d)
{
    kst_j2k_run_decode_gpu_release(d, j2k_state(d->decoder)->planned);
    j2k_state(d->decoder)->planned = NULL;
}

struct j2k_gpu_order kst_j2k_run_decode_gpu_order(const struct decoding *d)
{
    return (struct j2k_gpu_order){
        .after = d->after, .decode_host_blocks = kst_j2k_cpu_decode_host_blocks, .tier = d->decoder->context->tier};
}

void kst_j2k_run_decode_gpu_run(
    struct decoding *d, struct j2k_gpu_damage *damage, struct j2k_gpu_times *times, struct gpu_error *error)
{
    const struct j2k_gpu_order order = kst_j2k_run_decode_gpu_order(d);
    *damage = (struct j2k_gpu_damage){0};
    *times = (struct j2k_gpu_times){.host_threads = 0};
    struct j2k_gpu_job *job = kst_j2k_gpu_begin(d->gpu, &j2k_state(d->decoder)->planned->item, 1, &order, error);
    if (job)
        kst_j2k_gpu_end(job, damage, times, error);
}

kst_status kst_j2k_run_decode_gpu_report(
    struct decoding *d, const struct j2k_gpu_damage *damage, const struct j2k_gpu_times *times)
{
    return kst_j2k_run_decode_gpu_note(&d->decoder->report, d->gpu->gpu, damage, times, d->options.strict);
}

kst_status kst_j2k_run_decode_gpu_note(kst_report *report, const struct gpu *gpu, const struct j2k_gpu_damage *damage,
    const struct j2k_gpu_times *times, bool strict)
{
    const double *stage = times->stage;
    const double seconds[KST_STAGE_COUNT] = {[KST_STAGE_UPLOAD] = stage[J2K_STAGE_UPLOAD],
        [KST_STAGE_ENTROPY] = stage[J2K_STAGE_GATHER] + stage[J2K_STAGE_BLOCKS] + stage[J2K_STAGE_STORE],
        [KST_STAGE_PIXELS] = stage[J2K_STAGE_LEVELS] + stage[J2K_STAGE_OUTPUT],
        [KST_STAGE_DOWNLOAD] = stage[J2K_STAGE_DOWNLOAD]};
    static const kst_stage stages[] = {KST_STAGE_UPLOAD, KST_STAGE_ENTROPY, KST_STAGE_PIXELS, KST_STAGE_DOWNLOAD};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        report->stage_device[stages[i]] = gpu->info.kind;
        report->stage_seconds[stages[i]] += seconds[stages[i]];
    }
    memcpy(report->device, gpu->info.name, sizeof report->device);
    if (times->host_threads > report->threads)
        report->threads = times->host_threads;
    if (damage->blocks == 0)
        return KST_OK;
    uint64_t offset = damage->offset == UINT32_MAX ? UINT64_MAX : damage->offset;
    return kst_report_warning(report, KST_WARNING_J2K_DATA, offset, damage->blocks, strict);
}
