/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/j2k_encode.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/image.h"
#include "core/report.h"
#include "image/format.h"
#include "image/validate.h"

enum { BLOCK_SIZE = 64, STYLES = 63, DIVISIONS = 7, LEVELS = 5, GUARD = 2 };

void kst_j2k_options_init(kst_j2k_options *options)
{
    if (options)
        *options = (kst_j2k_options){.size = sizeof *options,
            .layers = 1,
            .levels = LEVELS,
            .block_width = BLOCK_SIZE,
            .block_height = BLOCK_SIZE,
            .guard_bits = GUARD};
}

static kst_status fail(struct encoding *e, kst_status status, const char *detail)
{
    return kst_report_error(&e->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static bool is_positive(double value)
{
    return value > 0 && value < HUGE_VAL;
}

static kst_status check_target(struct encoding *e, const kst_j2k_options *o)
{
    if ((unsigned)o->target > KST_J2K_STEP)
        return fail(e, KST_ERROR_OPTIONS, "target");
    if (o->layers < 1 || o->layers > J2K_ENCODED_LAYERS)
        return fail(e, KST_ERROR_OPTIONS, "layers");
    bool each = o->layer_value && o->target != KST_J2K_LOSSLESS && o->target != KST_J2K_STEP;
    if (o->target != KST_J2K_LOSSLESS && !each && !is_positive(o->value))
        return fail(e, KST_ERROR_OPTIONS, "the target's value");
    for (uint32_t l = 0; each && l < o->layers; l++)
        if (!is_positive(o->layer_value[l]) ||
            (l > 0 && (o->target == KST_J2K_RATIO ? o->layer_value[l] > o->layer_value[l - 1]
                                                  : o->layer_value[l] < o->layer_value[l - 1])))
            return fail(e, KST_ERROR_OPTIONS, "layers that do not get better");
    if (o->target == KST_J2K_STEP && o->reversible)
        return fail(e, KST_ERROR_OPTIONS, "the reversible transform has no quantiser");
    if (o->target == KST_J2K_PSNR && o->interest.width > 0)
        return fail(e, KST_ERROR_OPTIONS, "a region of interest makes errors uneven");
    return KST_OK;
}

static kst_status check_component(struct encoding *e, const kst_j2k_options *o, const kst_j2k_component *c)
{
    enum { FIELDS = 127, SCALE = 256 };
    if (c->fields > FIELDS)
        return fail(e, KST_ERROR_OPTIONS, "fields of a component");
    if ((c->fields & KST_J2K_OWN_LEVELS) && c->levels > J2K_LEVELS)
        return fail(e, KST_ERROR_OPTIONS, "levels of a component");
    if ((c->fields & KST_J2K_OWN_STYLE) && c->style > STYLES)
        return fail(e, KST_ERROR_OPTIONS, "style of a component");
    if ((c->fields & KST_J2K_OWN_GUARD_BITS) && (c->guard_bits < 1 || c->guard_bits > 7))
        return fail(e, KST_ERROR_OPTIONS, "guard bits of a component");
    if ((c->fields & KST_J2K_OWN_STEP) && !(c->step >= 1.0 / SCALE && c->step <= SCALE))
        return fail(e, KST_ERROR_OPTIONS, "step of a component");
    if ((c->fields & KST_J2K_OWN_TRANSFORM) && !c->reversible && o->target == KST_J2K_LOSSLESS)
        return fail(e, KST_ERROR_OPTIONS, "lossless, but for a component");
    return KST_OK;
}

static kst_status check_options(struct encoding *e, const kst_j2k_options *o)
{
    if (o->size != sizeof *o)
        return fail(e, KST_ERROR_OPTIONS, "not set up by kst_j2k_options_init()");
    if ((unsigned)o->progression > KST_PROGRESSION_CPRL)
        return fail(e, KST_ERROR_OPTIONS, "progression");
    if (o->levels > J2K_LEVELS)
        return fail(e, KST_ERROR_OPTIONS, "levels");
    if (o->style > STYLES)
        return fail(e, KST_ERROR_OPTIONS, "style");
    if (o->guard_bits < 1 || o->guard_bits > 7)
        return fail(e, KST_ERROR_OPTIONS, "guard bits");
    if ((unsigned)o->headers > KST_J2K_HEADERS_PPM)
        return fail(e, KST_ERROR_OPTIONS, "where packet headers stand");
    if (o->division > DIVISIONS)
        return fail(e, KST_ERROR_OPTIONS, "division");
    if (!o->change && o->change_count > 0)
        return fail(e, KST_ERROR_OPTIONS, "changes of progression");
    if (o->profile && !kst_j2k_profile_name(o->profile))
        return fail(e, KST_ERROR_OPTIONS, "a profile whose rules are not known");
    if (!(o->frame_rate >= 0) || o->frame_rate >= HUGE_VAL)
        return fail(e, KST_ERROR_OPTIONS, "the frame rate");
    if (!o->component && o->component_count > 0)
        return fail(e, KST_ERROR_OPTIONS, "components");
    kst_status status = check_target(e, o);
    for (size_t i = 0; i < o->component_count && !status; i++)
        status = check_component(e, o, &o->component[i]);
    return status;
}

kst_status kst_j2k_encode_check(struct encoding *e)
{
    kst_j2k_options defaults;
    const kst_image *image = &e->image;
    kst_j2k_options_init(&defaults);
    kst_status status = check_options(e, e->options.jpeg2000 ? e->options.jpeg2000 : &defaults);
    if (status)
        return status;
    if ((!e->options.metadata && e->options.metadata_count > 0) || (unsigned)e->options.density_unit > KST_DENSITY_CM)
        return fail(e, KST_ERROR_OPTIONS, "metadata");
    bool elsewhere = kst_memory_is_device(image->memory);
    if (e->rows && elsewhere)
        return fail(e, KST_ERROR_IMAGE_MEMORY, "rows come to the host");
    status = elsewhere || e->rows ? kst_image_check_shape(image) : kst_image_check(image);
    if (status)
        return fail(e, status, NULL);
    if (image->plane[0].sample != KST_SAMPLE_INTEGER)
        return fail(e, KST_ERROR_IMAGE_DEPTH, "integers are coded");
    if ((uint64_t)image->width * image->height > e->context->limits.pixels)
        return kst_report_error(
            &e->report, KST_ERROR_LIMIT_PIXELS, KST_NO_OFFSET, "%" PRIu32 " × %" PRIu32, image->width, image->height);
    return KST_OK;
}

double kst_j2k_encode_samples(const struct j2k_encode_work *work)
{
    double sum = 0;
    for (uint32_t c = 0; c < work->component_count; c++) {
        const kst_plane *plane = kst_image_plane(work->image, kst_format_channels(work->image->format) ? 0 : c);
        sum += (double)plane->width * plane->height;
    }
    return sum;
}

double kst_j2k_encode_sample_bits(const struct j2k_encode_work *work)
{
    double sum = 0;
    for (uint32_t c = 0; c < work->component_count; c++) {
        const kst_plane *plane = kst_image_plane(work->image, kst_format_channels(work->image->format) ? 0 : c);
        sum += (double)plane->width * plane->height * work->origin[c].depth;
    }
    return sum;
}

/* Less than half a bit for a sample. */
static bool is_low_rate(const struct j2k_encode_work *work)
{
    const kst_j2k_options *o = &work->options;
    double last = o->layer_value ? o->layer_value[o->layers - 1] : o->value;
    double pixels = (double)work->image->width * work->image->height;
    return (o->target == KST_J2K_RATE && 2 * last * pixels < kst_j2k_encode_samples(work)) ||
           (o->target == KST_J2K_RATIO && 2 * kst_j2k_encode_sample_bits(work) / last < kst_j2k_encode_samples(work));
}

/*
 * By how much to make the finest step coarser for samples so deep that the lowest band would have more than 31 planes
 * with it (two for a quarter of a sample, one for a level, two guard bits less one): by up to what 16 bits leave out.
 */
static double coarsening(const struct j2k_encode_work *work)
{
    enum { ENOUGH = 16, MOST = 27 };
    uint32_t depth = UINT32_MAX, levels = work->options.levels;
    for (uint32_t c = 0; c < work->component_count; c++)
        depth = work->origin[c].depth < depth ? work->origin[c].depth : depth;
    if (depth <= ENOUGH || depth + levels <= MOST)
        return 1;
    uint32_t excess = depth + levels - MOST;
    return ldexp(1, (int)(excess < depth - ENOUGH ? excess : depth - ENOUGH));
}

/* A step below what the target will need: of the embedded quantisers that truncation gives the finest. */
static double choose_step(const struct j2k_encode_work *work)
{
    const kst_j2k_options *o = &work->options;
    double finest = is_low_rate(work) ? 0.5 : 0.25, step;
    if (o->target == KST_J2K_STEP)
        return o->value;
    if (o->interest.width > 0)
        finest = 1; /* its planes come on top of the others */
    finest *= coarsening(work);
    step = finest;
    if (o->target == KST_J2K_PSNR)
        step = sqrt(12 * kst_j2k_estimated_error(work, o->layers - 1) / kst_j2k_encode_samples(work)) / 4;
    return step < finest ? step : finest;
}

static uint64_t whole_bytes(double bytes)
{
    return bytes < 1e18 ? (uint64_t)bytes : UINT64_MAX - 1;
}

/* Bytes of all passes. */
static double coded_bytes(const struct j2k_encode_work *work)
{
    double sum = 0;
    for (uint32_t b = 0; b < work->coded.plan.block_count; b++) {
        const struct j2k_block_code *block = &work->coded.block[b];
        if (block->passes > 0)
            sum += work->coded.pass_length[block->first_pass + block->passes - 1U];
    }
    return sum;
}

/* Of a layer that nothing was said of: half of the next one's bytes, or 3 dB less. */
static struct j2k_layer_target target_of(const struct j2k_encode_work *work, uint32_t layer)
{
    const kst_j2k_options *o = &work->options;
    struct j2k_layer_target target = {.bytes = UINT64_MAX};
    uint32_t behind = o->layers - 1 - layer;
    double value = o->layer_value && behind < o->layers ? o->layer_value[layer] : o->value;
    double share = o->layer_value ? 1 : ldexp(1, -(int)behind);
    switch (o->target) {
    case KST_J2K_RATE:
        target.bytes = whole_bytes(value * share * work->image->width * work->image->height / 8);
        break;
    case KST_J2K_RATIO:
        target.bytes = whole_bytes(kst_j2k_encode_sample_bits(work) * share / value / 8);
        break;
    case KST_J2K_PSNR:
        target.error = work->estimate ? work->estimate[layer] : kst_j2k_estimated_error(work, layer);
        break;
    default:
        target.all = behind == 0;
        target.bytes = whole_bytes(coded_bytes(work) * ldexp(1, -(int)behind));
    }
    return target;
}

bool kst_j2k_encode_needs_rates(const struct j2k_encode_work *work)
{
    const kst_j2k_options *o = &work->options;
    return o->layers > 1 || (o->target != KST_J2K_LOSSLESS && o->target != KST_J2K_STEP);
}

/*
 * How far below the gain for a byte at which planes were left out one may be asked for: where they were is no more than
 * an estimate.
 */
static const double stop_tolerance = 0.8;

/* Of the error that is wanted the share to which blocks are coded, so that estimates may be mended. */
static const double goal_share = 0.8;

/* The last layer's goal, for coding no further than that. */
static void set_goal(struct j2k_encode_work *work)
{
    const kst_j2k_options *o = &work->options;
    work->source.bytes = UINT64_MAX;
    if (o->target == KST_J2K_LOSSLESS || o->target == KST_J2K_STEP)
        return;
    struct j2k_layer_target target = target_of(work, o->layers - 1);
    work->source.bytes = target.bytes < work->limits.bytes ? target.bytes : work->limits.bytes;
    work->source.error = goal_share * target.error;
}

kst_status kst_j2k_encode_blocks(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    double start = kst_seconds();
    kst_j2k_encoded_release(&e->memory, &work->encoded);
    if (work->on_gpu)
        return kst_j2k_encode_group_again(work);
    if (work->in_windows)
        return kst_j2k_gpu_code_windows(work);
    kst_status status = kst_j2k_cpu_encode(
        &e->memory, e->context->pool, e->context->tier, &work->coded, &work->source, &work->encoded, &e->report);
    kst_report_stage(&e->report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    return status;
}

/* Bytes of the boxes around the codestream. */
static kst_status bytes_around(const struct j2k_encode_work *work, uint64_t *bytes)
{
    enum { BOX_HEADER = 8 };
    struct sink sink;
    *bytes = 0;
    if (work->options.codestream)
        return KST_OK;
    kst_sink_init(&sink, &work->e->memory);
    kst_j2k_put_signature(&sink);
    kst_j2k_put_file_header(&sink, &work->coded.headers, &work->file);
    kst_status status = sink.status;
    *bytes = BOX_HEADER + sink.length;
    kst_sink_release(&sink);
    for (uint32_t i = 0; i < work->file.box_count; i++)
        *bytes += BOX_HEADER + work->file.box[i].length;
    return status ? fail(work->e, status, NULL) : KST_OK;
}

/* Less of all where one component has more than a profile allows it. */
static kst_status allocate_components(struct j2k_encode_work *work, const struct j2k_rate *rate, double *threshold)
{
    enum { TRIES = 12 };
    struct encoding *e = work->e;
    struct j2k_layer_target *last = &work->target[work->options.layers - 1];
    uint64_t limit = work->limits.component_bytes, most = 0;
    for (uint32_t i = 0; i < TRIES; i++) {
        kst_status status =
            kst_j2k_allocate_rate(&e->memory, e->context->pool, rate, work->layer_passes, threshold, &e->report);
        if (!status && limit < UINT64_MAX)
            status = kst_j2k_most_component_bytes(&e->memory, &work->coded, &work->writing, &most, &e->report);
        if (status || most <= limit)
            return status;
        last->bytes = (uint64_t)((double)last->bytes * (double)limit / (double)most);
    }
    return kst_report_error(&e->report, KST_ERROR_J2K_PROFILE, KST_NO_OFFSET,
        "%s: a component has at most %llu bytes; use a lower rate", kst_j2k_profile_name(work->options.profile),
        (unsigned long long)limit);
}

static kst_status allocate_rate(struct j2k_encode_work *work, double *threshold)
{
    struct j2k_rate rate = {.coded = &work->coded,
        .gain = work->encoded.pass_gain,
        .error = work->encoded.error,
        .writing = &work->writing,
        .target = work->target,
        .outcome = work->outcome};
    kst_status status = bytes_around(work, &rate.around);
    if (status)
        return status;
    uint64_t most = work->limits.bytes < UINT64_MAX - rate.around ? work->limits.bytes + rate.around : UINT64_MAX;
    for (uint32_t l = 0; l < work->options.layers; l++) {
        work->target[l] = target_of(work, l);
        if (work->target[l].bytes > most)
            work->target[l].bytes = most;
    }
    return allocate_components(work, &rate, threshold);
}

/* Once more, and farther, where the guess how far to code was wrong. */
kst_status kst_j2k_encode_rates(struct j2k_encode_work *work)
{
    double threshold, stop = work->source.stop > 0 ? work->source.stop : work->encoded.stop;
    kst_status status = allocate_rate(work, &threshold);
    if (status || threshold >= stop_tolerance * stop)
        return status;
    work->source.stop = stop_tolerance * threshold;
    kst_progress_again(&work->e->progress, work->coded.plan.block_count);
    status = kst_j2k_encode_blocks(work);
    return status ? status : allocate_rate(work, &threshold);
}

static kst_status allocate_layers(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    uint32_t layers = work->options.layers, blocks = work->coded.plan.block_count;
    kst_status status;
    work->layer_passes = kst_memory_zeroed(&e->memory, (size_t)blocks * layers, 1, &status);
    work->target = work->layer_passes ? kst_memory_array(&e->memory, layers, sizeof *work->target, &status) : NULL;
    if (!work->target)
        return fail(e, status, NULL);
    work->coded.layer_passes = work->layer_passes;
    if (kst_j2k_encode_needs_rates(work))
        return work->options.target == KST_J2K_PSNR ? kst_j2k_encode_reach(work) : kst_j2k_encode_rates(work);
    for (uint32_t b = 0; b < blocks; b++)
        work->layer_passes[b] = work->coded.block[b].passes;
    return KST_OK;
}

/* Bytes of all layers, and about what packet headers and all else will take. */
static size_t expected_bytes(const struct j2k_encode_work *work)
{
    enum { AROUND = 1024, HEADER_BYTES = 4, SHARE = 32 };
    const struct j2k_coded *coded = &work->coded;
    size_t sum = 0;
    for (uint32_t b = 0; b < coded->plan.block_count; b++) {
        uint32_t passes = work->layer_passes[(size_t)(b + 1) * work->options.layers - 1];
        if (passes > 0)
            sum += HEADER_BYTES + coded->pass_length[coded->block[b].first_pass + passes - 1U];
    }
    return AROUND + sum + sum / SHARE;
}

/* Without a target a profile's limit may be missed. */
static kst_status check_length(const struct j2k_encode_work *work, uint64_t bytes)
{
    if (bytes <= work->limits.bytes)
        return KST_OK;
    return kst_report_error(&work->e->report, KST_ERROR_J2K_PROFILE, KST_NO_OFFSET,
        "%s: a codestream has at most %llu bytes, and this %llu; use a lower rate or a higher level",
        kst_j2k_profile_name(work->options.profile), (unsigned long long)work->limits.bytes, (unsigned long long)bytes);
}

static kst_status write_file(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    struct j2k_codestream *stream;
    double start = kst_seconds();
    kst_sink_expect(&e->sink, expected_bytes(work));
    kst_status status = kst_j2k_codestream_make(&e->memory, &work->coded, &work->writing, &stream, &e->report);
    if (!status)
        status = check_length(work, kst_j2k_codestream_length(stream));
    if (!status)
        status = work->options.codestream ? kst_j2k_codestream_put(stream, &e->sink)
                                          : kst_j2k_put_file(&work->coded, stream, &work->file, &e->sink, &e->report);
    kst_j2k_codestream_release(stream);
    kst_report_stage(&e->report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    return status;
}

/* On the GPU, if it can, the whole or in parts; for the CPU pixels in device memory come to the host. */
static kst_status choose_place(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    work->on_gpu = kst_j2k_gpu_encodes(work);
    work->in_windows = !work->on_gpu && kst_j2k_gpu_cuts(work);
    if (work->on_gpu || work->in_windows || !kst_memory_is_device(work->image->memory))
        return KST_OK;
    kst_status status = kst_image_bring(e->context, work->image, &work->host, &e->report);
    if (status)
        return status;
    work->image = &work->host;
    kst_j2k_encode_find_samples(work);
    return KST_OK;
}

/* Of the box around code-blocks that need not all be there before it begins: no fourfold of the samples' bytes. */
static void settle_width(struct j2k_encode_work *work)
{
    if (!kst_j2k_encode_needs_rates(work))
        work->file.width = kst_j2k_encode_sample_bits(work) / 8 > UINT32_MAX / 4 ? J2K_WIDTH_WIDE : J2K_WIDTH_NARROW;
}

/* Of the whole, when blocks are coded once: decoding for a PSNR takes several times as long. */
static double share_of_coding(const struct j2k_encode_work *work)
{
    return work->options.target == KST_J2K_PSNR ? 0.25 : kst_j2k_encode_needs_rates(work) ? 0.9 : 1;
}

/* All that is known before a sample is looked at. */
static kst_status plan(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    kst_status status = kst_j2k_encode_components(work);
    if (status)
        return status;
    work->reversible = work->options.target == KST_J2K_LOSSLESS || work->options.reversible;
    work->step = choose_step(work);
    status = kst_j2k_encode_headers(work);
    if (!status)
        status = kst_j2k_encode_file(work);
    settle_width(work);
    if (!status)
        status = kst_j2k_coded_layout(&e->memory, &e->context->limits, &work->coded, &e->report);
    if (!status)
        status = kst_j2k_encode_profile(work);
    if (!status)
        status = kst_j2k_encode_weights(work);
    if (status)
        return status;
    work->source.origin = work->origin;
    work->source.progress = &e->progress;
    kst_progress_stage(&e->progress, work->coded.plan.block_count, share_of_coding(work));
    work->source.rows = e->rows;
    work->source.measure = kst_j2k_encode_needs_rates(work);
    set_goal(work);
    return KST_OK;
}

kst_status kst_j2k_encode_plan(struct j2k_encode_work *work, struct encoding *e)
{
    *work = (struct j2k_encode_work){.e = e, .image = &e->image};
    kst_j2k_options_init(&work->options);
    if (e->options.jpeg2000)
        work->options = *e->options.jpeg2000;
    kst_status status = plan(work);
    return status ? status : choose_place(work);
}

kst_status kst_j2k_encode_settle(struct j2k_encode_work *work)
{
    if (kst_j2k_encode_goes_by_tiles(work))
        return kst_j2k_encode_by_tiles(work);
    kst_status status = work->on_gpu ? KST_OK : kst_j2k_encode_blocks(work);
    if (!status)
        status = allocate_layers(work);
    return status ? status : write_file(work);
}

void kst_j2k_encode_release(struct j2k_encode_work *work)
{
    struct memory *memory = &work->e->memory;
    kst_image_release(work->e->context, &work->host);
    for (uint32_t i = 0; i < work->file.box_count; i++)
        kst_memory_release(memory, work->box_data[i]);
    kst_j2k_encode_drop_tiles(work);
    kst_memory_release(memory, work->layer_passes);
    kst_memory_release(memory, work->target);
    kst_memory_release(memory, work->estimate);
    kst_memory_release(memory, work->outcome);
    kst_memory_release(memory, work->weight);
    kst_memory_release(memory, work->origin);
    kst_j2k_encoded_release(memory, &work->encoded);
    kst_j2k_coded_release(memory, &work->coded);
    kst_j2k_stream_release(memory, &work->coded.headers);
}

kst_status kst_j2k_encode(struct encoding *e)
{
    struct j2k_encode_work work, *member = &work;
    struct j2k_encode_group group;
    kst_status status = kst_j2k_encode_plan(&work, e);
    bool grouped = !status && work.on_gpu;
    if (grouped) {
        kst_j2k_encode_group_code(&group, &member, 1);
        status = work.status;
    }
    if (!status)
        status = kst_j2k_encode_settle(&work);
    if (grouped)
        kst_j2k_gpu_report_encoding(&work);
    kst_j2k_encode_release(&work);
    if (grouped)
        kst_j2k_encode_group_end(&group);
    return status;
}
