/* SPDX-License-Identifier: BSD-2-Clause */
/* What a target stands for: the quantiser's step, how far blocks are coded, and which passes go into which layer. */
#include <math.h>

#include "core/report.h"
#include "j2k/run/encode.h"

static kst_status fail(struct encoding *e, kst_status status, const char *detail)
{
    return kst_report_error(&e->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
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

/* A step below what the target will need: of the embedded quantisers that truncation gives the finest. */
double kst_j2k_encode_step(const struct j2k_encode_work *work)
{
    const kst_j2k_options *o = &work->options;
    double finest = is_low_rate(work) ? 0.5 : 0.25, step;
    if (o->target == KST_J2K_STEP)
        return o->value;
    if (o->interest.width > 0)
        finest = 1; /* its planes come on top of the others */
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
void kst_j2k_encode_set_goal(struct j2k_encode_work *work)
{
    const kst_j2k_options *o = &work->options;
    work->source.bytes = UINT64_MAX;
    if (o->target == KST_J2K_LOSSLESS || o->target == KST_J2K_STEP)
        return;
    struct j2k_layer_target target = target_of(work, o->layers - 1);
    work->source.bytes = target.bytes < work->limits.bytes ? target.bytes : work->limits.bytes;
    work->source.error = goal_share * target.error;
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
    const struct operation op = kst_encoding_operation(e);
    struct j2k_layer_target *last = &work->target[work->options.layers - 1];
    uint64_t limit = work->limits.component_bytes, most = 0;
    for (uint32_t i = 0; i < TRIES; i++) {
        kst_status status = kst_j2k_allocate_rate(&op, rate, work->layer_passes, threshold);
        if (!status && limit < UINT64_MAX)
            status = kst_j2k_most_component_bytes(&op, &work->coded, &work->writing, &most);
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

kst_status kst_j2k_encode_layers(struct j2k_encode_work *work)
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
