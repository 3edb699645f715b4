/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a volume: first the components that its slices need, across, and then the wavelet along z. If not all of
 * these components fit into memory, some rows at a time are decoded.
 */
#include "j2k/run/decode_volume.h"

#include <math.h>

#include "core/report.h"
#include "image/volume.h"
#include "j2k/cpu/decode.h"
#include "j2k/packets/output.h"
#include "j2k/syntax/geometry.h"

enum { SHARE = 2 /* planes of components take at most 1/SHARE of the memory that is left */, LEAST_ROWS = 16 };

static const struct j2k_stream *stream_of(const struct j2k_volume_decoding *d)
{
    return &j2k_state(d->decoder)->stream;
}

static kst_status fail(const struct j2k_volume_decoding *d, kst_status status, const char *detail)
{
    return kst_report_error(
        &d->decoder->report, status, detail ? stream_of(d)->start : KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static bool is_whole(const kst_box *box)
{
    return box->x == 0 && box->y == 0 && box->z == 0 && box->width == 0 && box->height == 0 && box->depth == 0;
}

/*
 * Return whether any component is subsampled. Boxes in samples, and decoding in bands of rows, require samples as dense
 * as the reference grid.
 */
static bool is_subsampled(const struct j2k_stream *stream)
{
    for (uint32_t i = 0; i < stream->component_count; i++)
        if (stream->component[i].dx != 1 || stream->component[i].dy != 1)
            return true;
    return false;
}

/* Describe width and height of a volume whose slices are components. */
static kst_status describe_slices(struct j2k_volume_decoding *d, kst_volume *volume)
{
    const kst_box *box = &d->options->region;
    struct j2k_output output;
    kst_image image;
    kst_decode_options options;
    if (is_subsampled(stream_of(d)))
        return fail(d, KST_ERROR_IMAGE_SIZE, "slices that are subsampled");
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    options.reduce = d->options->reduce;
    options.layers = d->options->layers;
    options.strict = d->options->strict;
    options.region = (kst_region){box->x, box->y, box->width, box->height};
    kst_status status = kst_j2k_output_describe(stream_of(d), &options, &image, j2k_state(d->decoder)->more, &output);
    if (status == KST_ERROR_IMAGE_DEPTH)
        return kst_j2k_run_refuse_depth(d->decoder, &options);
    if (status)
        return fail(d, status, NULL);
    for (uint32_t i = 0; i < stream_of(d)->component_count; i++)
        if (stream_of(d)->component[i].depth > J2K_DECODED_DEPTH)
            return fail(d, KST_ERROR_IMAGE_DEPTH, "coded components of more than 31 bits");
    volume->width = image.plane[0].width;
    volume->height = image.plane[0].height;
    d->filter = output.filter;
    d->filter.multi = true;
    return KST_OK;
}

/*
 * Check that the offsets of the wavelet are numbers that samples can have and, if the number of slices is reduced, are
 * all the same.
 */
static kst_status check_offsets(const struct j2k_volume_decoding *d)
{
    const double most = 4294967296.0;
    const struct j2k_multi_array *offsets =
        d->wavelet && d->wavelet->offsets >= 0 ? &stream_of(d)->multi.array[d->wavelet->offsets] : NULL;
    for (uint32_t i = 0; offsets && i < offsets->count; i++) {
        const double value = offsets->value[i];
        const bool whole = !d->reversible || (value >= floor(value) && value <= floor(value));
        const bool same = d->options->reduce_z == 0 || (value >= offsets->value[0] && value <= offsets->value[0]);
        if (!(fabs(value) < most) || !whole || !same)
            return kst_report_error(&d->decoder->report, KST_ERROR_J2K_MULTI, offsets->offset,
                "an offset that is too large, no whole number, or that other slices do not have");
    }
    return KST_OK;
}

/*
 * Set the volume's sample type: that of its slices, as CBD or else SIZ specifies them, or if they differ the least type
 * that holds the samples of all, whose values do not change.
 */
static kst_status describe_samples(struct j2k_volume_decoding *d, kst_volume *volume)
{
    const struct j2k_stream *stream = stream_of(d);
    const struct j2k_component_size first = kst_j2k_made_component(stream, 0);
    struct j2k_multi_sample common = {first.depth, first.is_signed};
    d->mixed = false;
    for (uint32_t i = 1; i < kst_j2k_made_count(stream); i++) {
        const struct j2k_component_size c = kst_j2k_made_component(stream, i);
        d->mixed = d->mixed || c.depth != first.depth || c.is_signed != first.is_signed;
        common = kst_j2k_multi_common(common, (struct j2k_multi_sample){c.depth, c.is_signed});
    }
    if (common.depth > J2K_DECODED_DEPTH)
        return fail(d, KST_ERROR_IMAGE_DEPTH,
            d->mixed ? "slices whose samples need more than 31 bits together" : "samples of more than 31 bits");
    volume->bits = common.depth;
    volume->is_signed = common.is_signed;
    return d->transformed ? check_offsets(d) : KST_OK;
}

const struct j2k_multi_sample *kst_j2k_run_volume_samples(const struct j2k_volume_decoding *d)
{
    return d->mixed && d->transformed ? stream_of(d)->multi.sample : NULL;
}

static kst_status find_transform(struct j2k_volume_decoding *d)
{
    const struct j2k_stream *stream = stream_of(d);
    d->transformed = stream->multi.sample;
    d->reversible = stream->main.coding[0].reversible;
    d->layout.range[0] = (struct j2k_z_range){0, kst_j2k_made_count(stream)};
    d->wavelet = kst_j2k_multi_brick(&stream->multi);
    if (d->wavelet && (d->wavelet->reversible != d->reversible || d->wavelet->count != stream->component_count))
        d->wavelet = NULL;
    if (d->wavelet)
        kst_j2k_z_layout(d->wavelet, &d->layout);
    if (d->options->reduce_z > (d->wavelet ? d->wavelet->levels : 0))
        return fail(d, KST_ERROR_J2K_REDUCE, "along z");
    return KST_OK;
}

static kst_status choose_slices(struct j2k_volume_decoding *d, kst_volume *volume)
{
    const kst_box *box = &d->options->region;
    d->shown = d->layout.range[d->options->reduce_z];
    const uint32_t depth = d->shown.end - d->shown.start;
    if (!is_whole(box)) {
        if (box->width == 0 || box->depth == 0 || box->z >= depth || box->depth > depth - box->z)
            return fail(d, KST_ERROR_REGION, NULL);
        d->shown.start += box->z;
        d->shown.end = d->shown.start + box->depth;
    }
    volume->depth = d->shown.end - d->shown.start;
    return volume->depth > 0 ? KST_OK : fail(d, KST_ERROR_IMAGE_SIZE, "no slices are left");
}

/* Describe the volume that the options ask for. */
static kst_status describe(struct j2k_volume_decoding *d, kst_volume *volume)
{
    kst_status status = find_transform(d);
    if (!status)
        status = describe_slices(d, volume);
    if (!status)
        status = describe_samples(d, volume);
    return status ? status : choose_slices(d, volume);
}

static void write_info(const struct j2k_volume_decoding *d, const kst_volume *volume, kst_volume_info *info)
{
    const struct j2k_stream *stream = stream_of(d);
    const struct j2k_component_size *c = stream->component;
    const struct j2k_rect area = kst_j2k_divide(stream->size.image, c->dx, c->dy);
    *info = (kst_volume_info){.size = sizeof *info,
        .width = area.x1 - area.x0,
        .height = area.y1 - area.y0,
        .depth = kst_j2k_made_count(stream),
        .bits = volume->bits,
        .is_signed = volume->is_signed,
        .has_wavelet = d->wavelet,
        .reversible = stream->main.coding[0].reversible,
        .levels = stream->main.coding[0].levels,
        .z_levels = d->wavelet ? d->wavelet->levels : 0,
        .z_origin = d->wavelet ? d->wavelet->origin : 0,
        .layers = stream->main.layers,
        .tiles = stream->size.columns * stream->size.rows,
        .block_style = stream->main.coding[0].style};
}

kst_status kst_j2k_run_describe_volume(
    kst_decoder *decoder, const kst_volume_decode_options *options, kst_volume *volume, kst_volume_info *info)
{
    struct j2k_volume_decoding d = {.decoder = decoder, .options = options};
    kst_status status = describe(&d, volume);
    uint64_t bytes;
    if (!status && kst_volume_check(volume, &bytes))
        status = fail(&d, KST_ERROR_IMAGE_SIZE, "of the volume");
    if (!status)
        write_info(&d, volume, info);
    return status;
}

static void want(struct j2k_volume_decoding *d, uint32_t component)
{
    d->wanted[component] = true;
    d->slot[component] = d->wanted_count++;
}

/* Find the components that the slices need. */
static void want_components(struct j2k_volume_decoding *d)
{
    const struct j2k_z_range all = {0, stream_of(d)->component_count}, range = d->transformed ? all : d->shown;
    for (uint32_t z = range.start; z < range.end && !d->wavelet; z++)
        want(d, z);
    if (!d->wavelet)
        return;
    const uint32_t margin = d->wavelet->reversible ? J2K_REACH_53 : J2K_REACH_97, levels = d->wavelet->levels;
    kst_j2k_z_need(&d->layout, levels, d->options->reduce_z, d->shown, margin, &d->need);
    for (uint32_t i = d->need.valid[levels].start; i < d->need.valid[levels].end; i++)
        want(d, kst_j2k_z_component(&d->layout, levels, 0, i));
    for (uint32_t n = levels; n-- > d->options->reduce_z;) {
        const struct j2k_z_range high = kst_j2k_z_band(d->need.computed[n], 1);
        for (uint32_t i = high.start; i < high.end; i++)
            want(d, kst_j2k_z_component(&d->layout, n + 1, 1, i));
    }
}

static kst_status allocate(struct j2k_volume_decoding *d)
{
    struct memory *memory = &d->decoder->memory;
    const uint32_t count = stream_of(d)->component_count;
    kst_status status = KST_OK;
    d->wanted = kst_memory_zeroed(memory, count, sizeof *d->wanted, &status);
    d->slot = kst_memory_zeroed(memory, count, sizeof *d->slot, &status);
    d->target = kst_memory_zeroed(memory, count, sizeof *d->target, &status);
    return status ? fail(d, status, NULL) : KST_OK;
}

void kst_j2k_run_volume_end(struct j2k_volume_decoding *d)
{
    struct memory *memory = &d->decoder->memory;
    kst_j2k_run_volume_drop_tiles(d);
    kst_memory_release(memory, d->wanted);
    kst_memory_release(memory, d->slot);
    kst_memory_release(memory, d->target);
}

/* Refuse tiles that take part in the transform along z with a different kind of wavelet, or with RCT or ICT. */
static kst_status check_tiles(const struct j2k_volume_decoding *d, const struct j2k_plan *plan)
{
    if (d->transformed && !d->wavelet)
        return kst_j2k_run_volume_check_stages(d, plan);
    for (uint32_t t = 0; t < plan->tile_count && d->wavelet; t++) {
        if (plan->tile[t].transform != J2K_TRANSFORM_NONE)
            return fail(d, KST_ERROR_J2K_EXTENSION, "a tile with RCT or ICT");
        for (uint32_t c = 0; c < plan->component_count; c++)
            if (d->wanted[c] && plan->tile_component[plan->tile[t].first_component + c].reversible != d->reversible)
                return fail(d, KST_ERROR_J2K_EXTENSION, "5/3 along z and 9/7 across, or the reverse");
    }
    return KST_OK;
}

kst_status kst_j2k_run_volume_plan(struct j2k_volume_decoding *d, struct j2k_rect region, struct j2k_plan *plan)
{
    kst_report *report = &d->decoder->report;
    struct j2k_filter filter = d->filter;
    const double start = kst_seconds();
    filter.region = region;
    filter.components = d->wanted;
    kst_status status = kst_j2k_run_decoder_plan(d->decoder, &filter, plan);
    if (!status && d->options->strict && report->warnings > 0)
        status = kst_report_error(report, report->first_warning, report->first_warning_offset, NULL);
    if (!status)
        status = check_tiles(d, plan);
    kst_report_stage(report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    return status;
}

/* Decode the wanted components of the plan to the targets, until progress is `end`. */
static kst_status decode_components(struct j2k_volume_decoding *d, const struct j2k_plan *plan, double end)
{
    kst_decoder *decoder = d->decoder;
    const struct operation op = kst_decoder_operation(decoder, d->progress);
    const double start = kst_seconds();
    kst_progress_enter(d->progress, plan->block_count, end);
    kst_status status = kst_j2k_cpu_decode(&op, plan, d->target, d->options->strict);
    decoder->report.threads = kst_pool_threads(decoder->context->pool);
    kst_report_stage(&decoder->report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    return status;
}

static kst_status decode_slices(struct j2k_volume_decoding *d, const kst_volume *volume)
{
    for (uint32_t i = 0; i < volume->depth; i++)
        d->target[d->shown.start + i] = (struct j2k_target){.data = (uint8_t *)volume->data + i * volume->slice_pitch,
            .pitch = (ptrdiff_t)volume->pitch,
            .stride = 1,
            .bytes = (uint8_t)kst_volume_sample_bytes(volume)};
    struct j2k_plan plan = {.data = NULL};
    kst_status status = kst_j2k_run_volume_plan(d, d->filter.region, &plan);
    if (!status)
        status = decode_components(d, &plan, 1);
    kst_j2k_plan_release(&d->decoder->memory, &plan);
    return status;
}

/* Holds a band of rows: `rows` rows from row y of the shown region on. */
struct j2k_volume_band {
    uint32_t y, rows;
};

/* Make some rows of all slices from the components, by the wavelet. */
static kst_status make_slices(struct j2k_volume_decoding *d, const struct j2k_z_slices *slices)
{
    const struct operation op = kst_decoder_operation(d->decoder, d->progress);
    const struct j2k_z_work work = {.wavelet = d->wavelet,
        .layout = &d->layout,
        .need = &d->need,
        .planes = &d->planes,
        .slices = slices,
        .offset = d->wavelet->offsets < 0 ? NULL : stream_of(d)->multi.array[d->wavelet->offsets].value};
    return kst_j2k_cpu_z_synthesise(&op, &work);
}

/* Make the decoder of tiles store rows of the wanted components to planes. */
static void aim_planes(struct j2k_volume_decoding *d)
{
    for (uint32_t i = 0; i < stream_of(d)->component_count; i++)
        if (d->wanted[i])
            d->target[i] = (struct j2k_target){.data = d->planes.data + d->slot[i] * d->planes.step,
                .pitch = (ptrdiff_t)d->planes.pitch,
                .stride = 1,
                .bytes = sizeof(int32_t),
                .raw = true};
}

/* Make the rows of a band from the components in the planes, until progress is `end`. */
static kst_status finish_band(struct j2k_volume_decoding *d, const struct j2k_plan *plan, struct j2k_rect region,
    const struct j2k_z_slices *slices, double end)
{
    const struct j2k_rect tiles = kst_j2k_wanted_tiles(stream_of(d), &d->filter);
    const double start = kst_seconds();
    const uint64_t columns = d->wavelet ? 1 : tiles.x1 - tiles.x0;
    kst_progress_enter(d->progress, columns * d->planes.height, end);
    kst_status status = d->wavelet ? make_slices(d, slices) : kst_j2k_run_volume_make_tiles(d, plan, region, slices);
    kst_report_stage(&d->decoder->report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    return status;
}

static kst_status decode_band(struct j2k_volume_decoding *d, const kst_volume *volume, struct j2k_volume_band band)
{
    struct j2k_rect region = d->filter.region;
    struct j2k_plan plan = {.data = NULL};
    if (band.rows < volume->height) { /* there is no subsampling */
        region.y0 += band.y;
        region.y1 = region.y0 + band.rows;
    }
    d->planes.height = band.rows;
    aim_planes(d);
    const double end = (double)(band.y + band.rows) / volume->height;
    const struct j2k_z_slices slices = {.data = (uint8_t *)volume->data + band.y * volume->pitch,
        .pitch = volume->pitch,
        .step = volume->slice_pitch,
        .bytes = (uint8_t)kst_volume_sample_bytes(volume),
        .depth = volume->bits,
        .is_signed = volume->is_signed};
    kst_status status = kst_j2k_run_volume_plan(d, region, &plan);
    if (!status)
        status = decode_components(d, &plan, 0.9 * end);
    if (!status)
        status = finish_band(d, &plan, region, &slices, end);
    kst_j2k_plan_release(&d->decoder->memory, &plan);
    return status;
}

/* Choose how many rows are decoded at a time. */
static uint32_t rows_at_once(const struct j2k_volume_decoding *d, const kst_volume *volume)
{
    const uint64_t row = (uint64_t)d->wanted_count * volume->width * sizeof(int32_t);
    const uint64_t fit = kst_memory_left(&d->decoder->memory) / SHARE / row;
    const uint32_t dy = stream_of(d)->component->dy;
    if (fit >= volume->height || dy > 1)
        return volume->height;
    return fit > LEAST_ROWS ? (uint32_t)fit : LEAST_ROWS < volume->height ? LEAST_ROWS : volume->height;
}

static kst_status decode_bands(struct j2k_volume_decoding *d, const kst_volume *volume)
{
    struct memory *memory = &d->decoder->memory;
    const uint32_t rows = rows_at_once(d, volume);
    kst_status status = KST_OK;
    d->planes = (struct j2k_z_planes){.width = volume->width, .height = rows, .slot = d->slot};
    kst_j2k_cpu_z_place(&d->planes);
    d->planes.data = kst_memory_array(memory, d->wanted_count, d->planes.step, &status);
    if (!d->planes.data)
        return fail(d, status, NULL);
    for (uint32_t y = 0; y < volume->height && !status; y += rows) {
        const struct j2k_volume_band band = {y, volume->height - y < rows ? volume->height - y : rows};
        status = decode_band(d, volume, band);
    }
    kst_memory_release(memory, d->planes.data);
    return status;
}

/*
 * Let the stages be carried out one by one, since tiles have their own or slices differ in their samples. The positions
 * of slices become their indices.
 */
static void leave_wavelet(struct j2k_volume_decoding *d)
{
    const uint32_t origin = d->layout.range[0].start;
    d->shown.start -= origin;
    d->shown.end -= origin;
    d->wavelet = NULL;
}

kst_status kst_j2k_run_volume_begin(struct j2k_volume_decoding *d)
{
    kst_volume described;
    kst_volume_init(&described);
    kst_status status = describe(d, &described);
    if (!status)
        status = kst_j2k_run_volume_find_tiles(d);
    if (!status && d->wavelet && (d->own_count > 0 || (d->mixed && d->options->reduce_z == 0)))
        leave_wavelet(d);
    if (!status)
        status = allocate(d);
    if (!status)
        want_components(d);
    return status;
}

kst_status kst_j2k_run_decode_volume(
    kst_decoder *decoder, const kst_volume_decode_options *options, const kst_volume *volume, struct progress *progress)
{
    struct j2k_volume_decoding d = {.decoder = decoder, .options = options, .progress = progress};
    kst_status status = kst_j2k_run_volume_begin(&d);
    if (!status)
        status = d.transformed ? decode_bands(&d, volume) : decode_slices(&d, volume);
    kst_j2k_run_volume_end(&d);
    return status;
}
