/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns the caller's target (rate, PSNR, step) into the quantiser's step, into the gain per byte down to which blocks
 * are coded, and into the passes of each layer.
 */
#include <math.h>

#include "core/report.h"
#include "j2k/run/encode.h"
#include "j2k/write/capabilities.h"

static kst_status fail(struct encoding *e, kst_status status, const char *detail)
{
    return kst_report_error(&e->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

double kst_j2k_run_encode_samples(const struct j2k_encoder *encoder)
{
    double sum = 0;
    for (uint32_t c = 0; c < encoder->component_count; c++) {
        const kst_plane *plane = kst_image_plane(encoder->image, kst_format_channels(encoder->image->format) ? 0 : c);
        sum += (double)plane->width * plane->height;
    }
    return sum;
}

double kst_j2k_run_encode_sample_bits(const struct j2k_encoder *encoder)
{
    double sum = 0;
    for (uint32_t c = 0; c < encoder->component_count; c++) {
        const kst_plane *plane = kst_image_plane(encoder->image, kst_format_channels(encoder->image->format) ? 0 : c);
        sum += (double)plane->width * plane->height * j2k_encode_sample_depth(encoder, c);
    }
    return sum;
}

/* Return whether the target leaves less than half a bit for each sample. */
static bool is_low_rate(const struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    double last = o->layer_value ? o->layer_value[o->layers - 1] : o->value;
    double pixels = (double)encoder->image->width * encoder->image->height;
    return (o->target == KST_J2K_RATE && 2 * last * pixels < kst_j2k_run_encode_samples(encoder)) ||
           (o->target == KST_J2K_RATIO &&
               2 * kst_j2k_run_encode_sample_bits(encoder) / last < kst_j2k_run_encode_samples(encoder));
}

/* Return a step that is finer than the target will need. Leaving out bit-planes makes the quantiser coarser. */
double kst_j2k_run_encode_step(const struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    double finest = is_low_rate(encoder) ? 0.5 : 0.25, step;
    if (o->target == KST_J2K_STEP)
        return o->value;
    if (o->target == KST_J2K_QUALITY)
        return kst_j2k_run_quality_step(o->value, encoder->origin[0].depth);
    step = finest;
    if (kst_j2k_run_encode_searches(encoder))
        return kst_j2k_run_encode_first_step(encoder);
    if (o->target == KST_J2K_PSNR)
        step = sqrt(12 * kst_j2k_run_estimated_error(encoder, o->layers - 1) / kst_j2k_run_encode_samples(encoder)) / 4;
    return step < finest ? step : finest;
}

static uint64_t whole_bytes(double bytes)
{
    return bytes < 1e18 ? (uint64_t)bytes : UINT64_MAX - 1;
}

/* Return the number of bytes of all passes. */
static double coded_bytes(const struct j2k_encoder *encoder)
{
    double sum = 0;
    for (uint32_t b = 0; b < encoder->coded.plan.block_count; b++) {
        const struct j2k_block_code *block = &encoder->coded.block[b];
        if (block->passes > 0)
            sum += encoder->coded.pass_length[block->first_pass + block->passes - 1U];
    }
    return sum;
}

/* Return a layer's target. A layer without a target of its own gets half of the next layer's bytes, or 3 dB less. */
static struct j2k_layer_target target_of(const struct j2k_encoder *encoder, uint32_t layer)
{
    const kst_j2k_options *o = &encoder->options;
    struct j2k_layer_target target = {.bytes = UINT64_MAX};
    uint32_t behind = o->layers - 1 - layer;
    double value = o->layer_value && behind < o->layers ? o->layer_value[layer] : o->value;
    double share = o->layer_value ? 1 : ldexp(1, -(int)behind);
    switch (o->target) {
    case KST_J2K_RATE:
        target.bytes = whole_bytes(value * share * encoder->image->width * encoder->image->height / 8);
        break;
    case KST_J2K_RATIO:
        target.bytes = whole_bytes(kst_j2k_run_encode_sample_bits(encoder) * share / value / 8);
        break;
    case KST_J2K_PSNR:
        target.all = behind == 0 && kst_j2k_run_encode_searches(encoder); /* the search has met its error */
        target.error = encoder->estimate ? encoder->estimate[layer] : kst_j2k_run_estimated_error(encoder, layer);
        break;
    default:
        target.all = behind == 0;
        target.bytes = whole_bytes(coded_bytes(encoder) * ldexp(1, -(int)behind));
    }
    return target;
}

bool kst_j2k_run_encode_takes_all(const struct j2k_encoder *encoder)
{
    const kst_j2k_target target = encoder->options.target;
    return target == KST_J2K_LOSSLESS || target == KST_J2K_STEP || target == KST_J2K_QUALITY;
}

bool kst_j2k_run_encode_needs_rates(const struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    return o->layers > 1 || !kst_j2k_run_encode_takes_all(encoder);
}

/* If passes were left out that the target needs, blocks are coded again down to this share of the threshold. */
static const double share_again = 0.65;

/*
 * With a target of error only planes are left out, by an estimate of the gain per byte. A threshold that is at least
 * this share of it counts as covered by what was coded.
 */
static const double stop_tolerance = 0.8;

/*
 * Blocks are coded until their error is this share of the wanted one, so that there are enough passes for corrections
 * of the estimate.
 */
static const double goal_share = 0.8;

/* Set the last layer's target as the goal, so that blocks are coded no further than necessary. */
void kst_j2k_run_encode_goal(struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    encoder->request.bytes = UINT64_MAX;
    if (kst_j2k_run_encode_takes_all(encoder) || kst_j2k_run_encode_searches(encoder))
        return;
    struct j2k_layer_target target = target_of(encoder, o->layers - 1);
    encoder->request.bytes = target.bytes < encoder->limits.bytes ? target.bytes : encoder->limits.bytes;
    encoder->request.error = goal_share * target.error;
}

kst_status kst_j2k_run_encode_around(const struct j2k_encoder *encoder, uint64_t *bytes)
{
    enum { BOX_HEADER = 8 };
    struct sink sink;
    *bytes = 0;
    if (encoder->options.codestream)
        return KST_OK;
    kst_sink_init(&sink, &encoder->e->memory);
    kst_j2k_put_signature(&sink, kst_j2k_coded_has_ht(&encoder->coded));
    kst_j2k_put_file_header(&sink, &encoder->coded.headers, &encoder->file);
    kst_status status = sink.status;
    *bytes = BOX_HEADER + sink.length;
    kst_sink_release(&sink);
    for (uint32_t i = 0; i < encoder->file.box_count; i++)
        *bytes += BOX_HEADER + encoder->file.box[i].length;
    return status ? fail(encoder->e, status, NULL) : KST_OK;
}

/*
 * Allocate rates so that no component exceeds the bytes that the profile allows for a component. If one does, all get
 * less.
 */
static kst_status allocate_components(struct j2k_encoder *encoder, const struct j2k_rate *rate, double *threshold)
{
    enum { TRIES = 12 };
    struct encoding *e = encoder->e;
    const struct operation op = kst_encoding_operation(e);
    struct j2k_layer_target *last = &encoder->target[encoder->options.layers - 1];
    uint64_t limit = encoder->limits.component_bytes, most = 0;
    for (uint32_t i = 0; i < TRIES; i++) {
        kst_status status = kst_j2k_allocate_rate(&op, rate, encoder->layer_passes, threshold);
        if (!status && limit < UINT64_MAX)
            status = kst_j2k_most_component_bytes(&op, &encoder->coded, &encoder->writing, &most);
        if (status || most <= limit)
            return status;
        last->bytes = (uint64_t)((double)last->bytes * (double)limit / (double)most);
    }
    return kst_report_error(&e->report, KST_ERROR_J2K_PROFILE, KST_NO_OFFSET,
        "%s: a component has at most %llu bytes; use a lower rate", kst_j2k_profile_name(encoder->options.profile),
        (unsigned long long)limit);
}

/* Return the most bytes that the profile allows the file. */
static uint64_t limit_of(const struct j2k_encoder *encoder, uint64_t around)
{
    return encoder->limits.bytes < UINT64_MAX - around ? encoder->limits.bytes + around : UINT64_MAX;
}

uint64_t kst_j2k_run_encode_budget(const struct j2k_encoder *encoder, uint64_t around)
{
    const uint64_t limit = limit_of(encoder, around);
    const struct j2k_layer_target target = target_of(encoder, encoder->options.layers - 1);
    return target.bytes < limit ? target.bytes : limit;
}

static kst_status allocate_rate(struct j2k_encoder *encoder, double *threshold)
{
    struct j2k_rate rate = {.coded = &encoder->coded,
        .gain = encoder->encoded.pass_gain,
        .error = encoder->encoded.error,
        .writing = &encoder->writing,
        .target = encoder->target,
        .outcome = encoder->outcome};
    kst_status status = kst_j2k_run_encode_around(encoder, &rate.around);
    if (status)
        return status;
    uint64_t most = limit_of(encoder, rate.around);
    for (uint32_t l = 0; l < encoder->options.layers; l++) {
        encoder->target[l] = target_of(encoder, l);
        if (encoder->target[l].bytes > most)
            encoder->target[l].bytes = most;
    }
    return allocate_components(encoder, &rate, threshold);
}

/* Allocate passes to layers. If blocks were not coded far enough for the targets, code them again, further. */
kst_status kst_j2k_run_encode_rates(struct j2k_encoder *encoder)
{
    double threshold, stop = encoder->request.stop > 0 ? encoder->request.stop : encoder->encoded.stop;
    kst_status status = allocate_rate(encoder, &threshold);
    if (status || threshold >= (encoder->request.error > 0 ? stop_tolerance : 1) * stop)
        return status;
    encoder->request.stop = share_again * threshold;
    kst_progress_again(&encoder->e->progress, encoder->coded.plan.block_count);
    status = kst_j2k_run_encode_blocks(encoder);
    return status ? status : allocate_rate(encoder, &threshold);
}

kst_status kst_j2k_run_encode_layer_lists(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    uint32_t layers = encoder->options.layers, blocks = encoder->coded.plan.block_count;
    kst_status status = KST_OK;
    encoder->layer_passes = kst_memory_zeroed(&e->memory, (size_t)blocks * layers, 1, &status);
    encoder->target =
        encoder->layer_passes ? kst_memory_array(&e->memory, layers, sizeof *encoder->target, &status) : NULL;
    if (!encoder->target) {
        status = status == KST_ERROR_LIMIT_MEMORY ? status : KST_ERROR_MEMORY;
        fail(e, status, NULL);
        return status;
    }
    encoder->coded.layer_passes = encoder->layer_passes;
    return KST_OK;
}

kst_status kst_j2k_run_encode_layers(struct j2k_encoder *encoder)
{
    if (encoder->placed > 0 && !kst_j2k_run_encode_searches(encoder)) /* the device has put all in one layer */
        return KST_OK;
    kst_status status = encoder->search ? KST_OK : kst_j2k_run_encode_layer_lists(encoder);
    if (status)
        return status;
    if (kst_j2k_run_encode_searches(encoder))
        return kst_j2k_run_encode_search(encoder);
    if (kst_j2k_run_encode_needs_rates(encoder))
        return encoder->options.target == KST_J2K_PSNR ? kst_j2k_run_encode_reach(encoder)
                                                       : kst_j2k_run_encode_rates(encoder);
    for (uint32_t b = 0; b < encoder->coded.plan.block_count; b++)
        encoder->layer_passes[b] = encoder->coded.block[b].passes;
    return KST_OK;
}
