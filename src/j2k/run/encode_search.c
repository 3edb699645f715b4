/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meets a target of bytes or decibels by choosing the quantiser's step, for T.814 code-blocks, whose only cleanup pass
 * cannot be cut. For a target of bytes, the bits of all blocks are counted at one step after the other, which gives the
 * number of bytes up to some thousandths; then the picture is coded with the step that was found. If it is then too
 * long, or much too short, its length corrects the counts, and the search goes on. For other targets the picture is
 * coded with each step.
 */
#include <math.h>

#include "core/report.h"
#include "j2k/run/encode.h"

enum { TRIES = 24, CODINGS = 3 /* steps that were found by counting, and then coded */ };

/*
 * Shares of the wanted bytes and errors: the one from which on a result is close enough, and the one to aim at.
 * Estimates of bytes leave some room for the actual bytes.
 */
static const double close_bytes = 0.998, aim_bytes = 0.999, close_error = 0.9772, aim_error = 0.9931;
static const double close_estimate = 0.9988, aim_estimate = 0.9992, most_estimate = 0.9996;

/* The finest and coarsest steps. Finer steps would change nothing that a decoder shows. */
static const double finest = 1.0 / 64, coarsest = 1 << 24;

bool kst_j2k_run_encode_searches(const struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    return (o->style & KST_J2K_HT) != 0 && !kst_j2k_run_encode_takes_all(encoder);
}

bool kst_j2k_run_encode_counts(const struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    /* A list of blocks on a device contains the shift of a region of interest, which would change with the step. */
    return kst_j2k_run_encode_searches(encoder) && !encoder->reversible && o->target != KST_J2K_PSNR &&
           o->passes == 1 && o->interest.width == 0 && encoder->limits.component_bytes == UINT64_MAX &&
           kst_j2k_run_encode_has_only_ht(encoder);
}

/*
 * Samples are rounded if a picture is coded with a choice of refinement passes, which is only done on the CPU. Steps
 * are then finer by as many planes as tell where a sample lies in its interval; deep samples have fewer planes to
 * spare.
 */
uint32_t kst_j2k_run_encode_finer(const struct j2k_encoder *encoder)
{
    enum { USUAL = 4, DEEP = 12, FEWER = 2, DEEPEST = 16, LEAST = 1 };
    const uint32_t depth = j2k_encode_sample_depth(encoder, 0);
    if (!kst_j2k_run_encode_searches(encoder) || encoder->reversible || encoder->options.passes == 1)
        return 0;
    return depth <= DEEP ? USUAL : depth <= DEEPEST ? FEWER : LEAST;
}

/* Components with visual weights, or with options of their own, are not fed: errors would not add up as samples do. */
bool kst_j2k_run_encode_feeds(const struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    return kst_j2k_run_encode_finer(encoder) > 0 && !encoder->e->volume && o->weights == KST_J2K_WEIGHTS_NONE &&
           o->interest.width == 0 && o->component_count == 0;
}

/*
 * A bit is worth 0.2 squares of the step of the finest bands. If steps are small compared with all samples, theory
 * gives ln 2 ÷ 6 = 0.12; but most samples of these bands are 0. Of the values that were tried, this one gives the best
 * pictures of a given length (docs/performance/htj2k-cpu.md).
 */
void kst_j2k_run_encode_value_bits(struct j2k_encoder *encoder)
{
    const double squares = 0.2;
    const struct j2k_plan *plan = &encoder->coded.plan;
    const uint32_t finer = kst_j2k_run_encode_finer(encoder);
    uint32_t t = 0;
    while (t < plan->tile_component_count && plan->tile_component[t].reversible)
        t++;
    encoder->request.worth = 0;
    if (finer == 0 || t == plan->tile_component_count)
        return;
    const struct j2k_tile_component *tc = &plan->tile_component[t];
    const struct j2k_resolution *last = &plan->resolution[tc->first_resolution + tc->resolution_count - 1];
    const uint32_t band = last->first_band + last->band_count - 1U;
    const double step = ldexp(plan->band[band].step, (int)finer);
    encoder->request.worth = squares * encoder->weight[band] * step * step;
}

/*
 * For a target of error, the quantiser's errors are assumed to be evenly distributed. For bytes, the step is what
 * photographs of 8 bits need on average, between 1/8 and 1 bit a sample.
 */
static double first_step(const struct j2k_encoder *encoder)
{
    const double samples = kst_j2k_run_encode_samples(encoder), usual = 0.9, power = -0.83;
    if (encoder->options.target == KST_J2K_PSNR)
        return fmax(finest, sqrt(12 * kst_j2k_run_wanted_error(encoder, encoder->options.layers - 1) / samples));
    const double bits = 8 * (double)kst_j2k_run_encode_budget(encoder, 0) / samples;
    const double deeper = ldexp(1, (int)j2k_encode_sample_depth(encoder, 0) - 8);
    return fmax(finest, usual * deeper * pow(fmax(bits, 1e-3), power));
}

double kst_j2k_run_encode_first_step(const struct j2k_encoder *encoder)
{
    return ldexp(first_step(encoder), -(int)kst_j2k_run_encode_finer(encoder));
}

/* Holds a step, the sum of the resulting steps of the bands, and the result as a share of the target. */
struct tried_step {
    double step, bands, share;
};

struct j2k_step_search {
    struct j2k_encoder *encoder;
    uint32_t tries, codings; /* number of steps that were tried in a row, and of found steps that were coded */
    uint64_t around, budget;
    uint64_t frame; /* bytes of a codestream without blocks, if bits are counted */
    double bias;    /* bytes of coded blocks as a share of the estimated ones */
    double start;   /* first step, or the last one that was coded */
    bool by_error;
    bool counts;     /* bits are counted, except at steps that were found by counting */
    bool is_end;     /* counting finds no better step */
    bool foresaw;    /* a step was coded, or is being coded, without being counted, which is done once */
    bool foresees;   /* it is being coded */
    double foreseen; /* share of the target that the foreseen step took; 0: it met the target, or has been counted */
    bool found;      /* the search has ended */
    double close, aim, most, finest;
    struct tried_step now, before, earlier, good, bad; /* a step of 0: there is none yet */
    struct tried_step coded;                           /* best of the found steps that were coded */
};

void kst_j2k_run_encode_take_all(struct j2k_encoder *encoder)
{
    const uint32_t layers = encoder->options.layers;
    if (encoder->placed > 0)
        return;
    for (uint32_t b = 0; b < encoder->coded.plan.block_count; b++)
        for (uint32_t l = 0; l < layers; l++)
            encoder->layer_passes[(size_t)b * layers + l] = l + 1 < layers ? 0 : encoder->coded.block[b].passes;
}

void kst_j2k_run_encode_unmake(struct j2k_encoder *encoder)
{
    kst_j2k_codestream_release(encoder->made);
    encoder->made = NULL;
}

kst_status kst_j2k_run_encode_share(struct j2k_encoder *encoder, uint64_t around, uint64_t budget, double *share)
{
    const struct operation op = kst_encoding_operation(encoder->e);
    struct j2k_codestream *stream;
    uint64_t most = 0;
    kst_status status = kst_j2k_run_encode_make(encoder, &stream);
    if (status)
        return status;
    *share = (double)(kst_j2k_codestream_length(stream) + around) / (double)budget;
    kst_j2k_run_encode_unmake(encoder);
    encoder->made = stream;
    if (encoder->limits.component_bytes == UINT64_MAX)
        return KST_OK;
    status = kst_j2k_most_component_bytes(&op, &encoder->coded, &encoder->writing, &most);
    *share = fmax(*share, (double)most / (double)encoder->limits.component_bytes);
    return status;
}

kst_status kst_j2k_run_encode_error_share(struct j2k_encoder *encoder, double *share)
{
    const uint32_t last = encoder->options.layers - 1;
    bool wanted[J2K_ENCODED_LAYERS] = {false};
    double error[J2K_ENCODED_LAYERS] = {0};
    wanted[last] = true;
    kst_status status = kst_j2k_run_encode_measure(encoder, wanted, error);
    *share = error[last] / kst_j2k_run_wanted_error(encoder, last);
    return status;
}

static double sum_of_steps(const struct j2k_plan *plan)
{
    double sum = 0;
    for (uint32_t b = 0; b < plan->band_count; b++)
        sum += plan->band[b].step;
    return sum;
}

static kst_status share_of(const struct j2k_step_search *search, double *share)
{
    struct j2k_encoder *encoder = search->encoder;
    if (encoder->request.count) {
        const uint64_t bytes = search->frame + search->around + kst_j2k_run_encode_estimate(encoder);
        *share = search->bias * (double)bytes / (double)search->budget;
        return KST_OK;
    }
    kst_j2k_run_encode_take_all(encoder);
    return search->by_error ? kst_j2k_run_encode_error_share(encoder, share)
                            : kst_j2k_run_encode_share(encoder, search->around, search->budget, share);
}

static kst_status judge(struct j2k_step_search *search)
{
    search->now.step = search->encoder->step;
    search->now.bands = sum_of_steps(&search->encoder->coded.plan);
    return share_of(search, &search->now.share);
}

/* Set another step, with which everything must be coded or counted. */
static kst_status set_step(const struct j2k_step_search *search, double step)
{
    struct j2k_encoder *encoder = search->encoder;
    kst_progress_again(&encoder->e->progress, encoder->coded.plan.block_count);
    kst_status status = kst_j2k_run_encode_take_step(encoder, step);
    kst_j2k_run_encode_value_bits(encoder);
    return status;
}

/*
 * Return the exponent with which bytes or errors depend on the step; computed from the last two tries if there are two.
 */
static double power_of(const struct j2k_step_search *search)
{
    const struct tried_step *a = &search->now, *b = &search->before;
    const double least = 0.3, most = 3, sign = search->by_error ? 1 : -1;
    if (b->step <= 0 || a->step == b->step || a->share <= 0 || b->share <= 0)
        return search->by_error ? 1.6 : -1.1;
    double power = sign * log(a->share / b->share) / log(a->step / b->step);
    return sign * fmin(fmax(power, least), most);
}

/*
 * Return the step at which a parabola through the last three tries, in logarithms, meets the target. 0: there are not
 * three tries, or two of them are so close that the rounding of steps would matter.
 */
static double step_of_three(const struct j2k_step_search *search)
{
    const struct tried_step *tried[] = {&search->now, &search->before, &search->earlier};
    const double apart = 0.01, aim = log(search->aim);
    double share[3], step = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (tried[i]->step <= 0 || tried[i]->share <= 0)
            return 0;
        share[i] = log(tried[i]->share);
    }
    for (uint32_t i = 0; i < 3; i++) {
        const double a = share[(i + 1) % 3], b = share[(i + 2) % 3];
        if (fabs(share[i] - a) < apart)
            return 0;
        step += log(tried[i]->step) * (aim - a) * (aim - b) / ((share[i] - a) * (share[i] - b));
    }
    return exp(step);
}

/* Return whether a step would bring the result of the last try closer to the target. */
static bool leads_on(const struct j2k_step_search *search, double step)
{
    const bool less = search->now.share > search->aim, coarser = less != search->by_error;
    return coarser ? step > search->now.step : step > 0 && step < search->now.step;
}

/*
 * Return the next step to try. A parabola may have its peak between the tries and the target, and then leads away from
 * it.
 */
static double next_step(const struct j2k_step_search *search)
{
    const double share = fmax(search->now.share, 1e-9);
    double step = step_of_three(search);
    if (!leads_on(search, step))
        step = search->now.step * pow(search->aim / share, 1 / power_of(search));
    step = fmin(fmax(step, search->now.step / 16), search->now.step * 16);
    if (search->good.step > 0 && search->bad.step > 0) {
        const double low = fmin(search->good.step, search->bad.step), high = fmax(search->good.step, search->bad.step);
        if (step <= low || step >= high)
            step = sqrt(low * high);
    }
    return fmin(fmax(step, search->finest), coarsest);
}

/* Keep the try that comes nearest to the target from either side. Returns whether it is near enough. */
static bool learn(struct j2k_step_search *search)
{
    const bool good = search->now.share <= search->most;
    struct tried_step *nearest = good ? &search->good : &search->bad;
    if (nearest->step <= 0 || (good ? search->now.share >= nearest->share : search->now.share <= nearest->share))
        *nearest = search->now;
    if (!good)
        return false;
    const bool end = search->by_error ? search->now.step >= coarsest : search->now.step <= search->finest;
    return search->now.share >= search->close || end;
}

/*
 * Return whether the search is exhausted: headers cannot express a step between the good one and the bad one, or a
 * finer step changes nothing because no band can have more planes.
 */
static bool is_exhausted(const struct j2k_step_search *search)
{
    if (search->before.step > 0 && search->now.bands == search->before.bands)
        return true;
    const double hardly = 1.0001;
    const double good = search->good.step, bad = search->bad.step;
    const double end = search->by_error ? search->finest : coarsest;
    return (good > 0 && bad > 0 && fmax(good / bad, bad / good) < hardly) || (good <= 0 && bad == end);
}

/*
 * Return whether blocks get passes according to their gains, because whole blocks are left out or several layers are
 * filled.
 */
static bool allocates(const struct j2k_step_search *search)
{
    const kst_j2k_options *o = &search->encoder->options;
    return o->passes == 1 && (o->layers > 1 || (!search->by_error && search->good.step <= 0));
}

/* Set the step that was found, for blocks that are then coded with several planes. */
static kst_status take_found(struct j2k_step_search *search)
{
    struct j2k_encoder *encoder = search->encoder;
    if (search->good.step <= 0 || search->now.step == search->good.step)
        return KST_OK;
    kst_status status = kst_j2k_run_encode_take_step(encoder, search->good.step);
    kst_j2k_run_encode_value_bits(encoder);
    return status;
}

/* Forget all tries but the last one, because bytes are now counted or coded instead, or counts are corrected. */
static void begin_anew(struct j2k_step_search *search, bool counts)
{
    const struct tried_step none = {.step = 0};
    search->before = search->earlier = search->good = search->bad = none;
    search->close = counts ? close_estimate : close_bytes;
    search->aim = counts ? aim_estimate : aim_bytes;
    search->most = counts ? most_estimate : 1;
    search->tries = 0;
    search->encoder->request.count = counts;
}

/*
 * Return whether no coded step fits, but the coarsest one may: with it all components have equal steps, so that no
 * markers for different steps are needed.
 */
static bool may_fit_last(const struct j2k_step_search *search)
{
    return !search->by_error && !search->encoder->request.count && search->good.step <= 0 &&
           search->now.step < coarsest;
}

/* Go on with the next step, unless this one is near enough, or there is none. */
static kst_status try_next(struct j2k_step_search *search, bool *more)
{
    *more = !learn(search) && !is_exhausted(search) && ++search->tries < TRIES;
    if (!*more && may_fit_last(search)) {
        *more = true;
        return set_step(search, coarsest);
    }
    if (!*more)
        return KST_OK;
    const double step = next_step(search);
    search->earlier = search->before;
    search->before = search->now;
    return set_step(search, step);
}

/*
 * Code the picture with the step that was found by counting, unless several layers are to be made with it. Counting may
 * find no step although one fits: the length of the frame was measured with the first step, and is shorter where steps
 * of components are equal; and a correction may be too large. In that case the best coded step is taken or, if there is
 * none, steps are coded without counting.
 */
static kst_status code_found(struct j2k_step_search *search, bool *more)
{
    if (search->good.step <= 0) {
        search->counts = false;
        *more = search->coded.step <= 0;
        begin_anew(search, false);
        search->good = search->coded;
        return *more ? set_step(search, search->start) : KST_OK;
    }
    search->is_end = search->good.share < search->close;
    *more = !allocates(search);
    if (!*more)
        return KST_OK;
    search->encoder->request.count = false;
    return set_step(search, search->good.step);
}

/*
 * Return whether the last two counts are near enough to the target to code with the step that they lead to, instead of
 * counting once more. With twelve photographs at 8:1, 20:1 and 60:1 this is so in 30 cases of 36; in 26 of them the
 * count differs by less than 0.05% from what was foreseen.
 */
static bool foresees(struct j2k_step_search *search)
{
    const double near = 0.015;
    return search->encoder->request.count && !search->foresaw && search->before.step > 0 && !learn(search) &&
           search->now.bands != search->before.bands && fabs(search->now.share / search->aim - 1) < near &&
           search->encoder->options.layers == 1;
}

static kst_status code_foreseen(struct j2k_step_search *search, bool *more)
{
    const double step = next_step(search);
    search->foresaw = search->foresees = true;
    search->earlier = search->before;
    search->before = search->now;
    search->encoder->request.count = false;
    *more = true;
    return set_step(search, step);
}

/*
 * Judge the result of coding with a step that was foreseen. If it does not meet the target, the step is counted, which
 * shows how far counts are from the bytes of coded blocks.
 */
static kst_status take_foreseen(struct j2k_step_search *search, bool *more)
{
    search->foresees = false;
    *more = search->now.share > 1 || search->now.share < close_bytes;
    if (search->now.share <= 1)
        search->coded = search->now;
    if (!*more) {
        search->good = search->coded;
        return KST_OK;
    }
    search->foreseen = search->now.share;
    search->encoder->request.count = true;
    return set_step(search, search->now.step);
}

/* Correct the counts by the count of a step that was coded before. */
static void compare_foreseen(struct j2k_step_search *search)
{
    search->bias *= search->foreseen / search->now.share;
    search->now.share = search->foreseen;
    search->foreseen = 0;
    begin_anew(search, true);
}

/*
 * Judge the result of coding with a step that was found by counting. It corrects the counts. If that does not help
 * after CODINGS codings, because there are few blocks, steps are coded without counting.
 */
static kst_status take_coded(struct j2k_step_search *search, bool *more)
{
    const double share = search->now.share;
    if (share <= 1 && share > search->coded.share)
        search->coded = search->now;
    *more = search->coded.step <= 0 || (search->coded.share < close_bytes && !search->is_end);
    if (++search->codings == CODINGS && search->coded.step > 0)
        *more = false;
    if (!*more) {
        search->good = search->coded;
        return KST_OK;
    }
    search->bias *= share / search->good.share;
    search->counts = search->codings < CODINGS;
    begin_anew(search, search->counts);
    return try_next(search, more);
}

kst_status kst_j2k_run_encode_search_on(struct j2k_encoder *encoder, bool *more)
{
    struct j2k_step_search *search = encoder->search;
    kst_status status = judge(search);
    *more = false;
    if (status)
        return status;
    if (search->start <= 0 || !encoder->request.count)
        search->start = search->now.step;
    if (search->counts && !encoder->request.count)
        return search->foresees ? take_foreseen(search, more) : take_coded(search, more);
    if (search->foreseen > 0)
        compare_foreseen(search);
    else if (foresees(search))
        return code_foreseen(search, more);
    status = try_next(search, more);
    return status || *more || !search->counts ? status : code_found(search, more);
}

kst_status kst_j2k_run_encode_search_found(struct j2k_encoder *encoder, bool *codes)
{
    struct j2k_step_search *search = encoder->search;
    encoder->request.count = false;
    search->found = true;
    *codes = false;
    if (encoder->options.passes > 1)
        return take_found(search);
    if (allocates(search)) /* kst_j2k_run_encode_search() codes the picture */
        return KST_OK;
    *codes = search->good.step > 0 && search->now.step != search->good.step;
    return *codes ? set_step(search, search->good.step) : KST_OK;
}

static kst_status run(struct j2k_encoder *encoder)
{
    bool more, codes;
    kst_status status = kst_j2k_run_encode_search_on(encoder, &more);
    while (!status && more) {
        status = kst_j2k_run_encode_blocks(encoder);
        if (!status)
            status = kst_j2k_run_encode_search_on(encoder, &more);
    }
    if (status)
        return status;
    status = kst_j2k_run_encode_search_found(encoder, &codes);
    if (!codes)
        return status;
    if (!status)
        status = kst_j2k_run_encode_blocks(encoder);
    if (!status)
        kst_j2k_run_encode_take_all(encoder);
    return status;
}

/* Code everything with the step that was found, and measure the gain of each pass of each block. */
static kst_status code_measured(struct j2k_step_search *search)
{
    struct j2k_encoder *encoder = search->encoder;
    kst_j2k_run_encode_unmake(encoder);
    encoder->request.measure = true;
    kst_status status = set_step(search, search->good.step > 0 ? search->good.step : encoder->step);
    if (!status)
        status = kst_j2k_run_encode_blocks(encoder);
    kst_j2k_run_encode_take_all(encoder);
    return status;
}

/* A reversible transform has no step: all planes of all blocks are tried. */
static kst_status search_planes(struct j2k_encoder *encoder)
{
    kst_status status = kst_j2k_run_encode_candidates(encoder, 0, J2K_CODED_PLANES);
    return status ? status : kst_j2k_run_encode_choose(encoder);
}

/*
 * With refinement passes, each block gets the plane of the step that was found for all blocks, refined or not, or the
 * plane above it, if that is better. The unrefined first plane is among the candidates, so that the result is never
 * worse.
 */
static kst_status improve(struct j2k_encoder *encoder)
{
    enum { PLANES = 2 };
    kst_status status = kst_j2k_run_encode_candidates(encoder, kst_j2k_run_encode_finer(encoder), PLANES);
    return status ? status : kst_j2k_run_encode_choose(encoder);
}

/* Measure the codestream without any passes. */
static kst_status measure_frame(struct j2k_step_search *search)
{
    const struct operation op = kst_encoding_operation(search->encoder->e);
    struct j2k_codestream *stream;
    kst_j2k_run_encode_take_all(search->encoder);
    kst_status status = kst_j2k_codestream_make(&op, &search->encoder->coded, &search->encoder->writing, &stream);
    if (status)
        return status;
    search->frame = kst_j2k_codestream_length(stream);
    kst_j2k_codestream_release(stream);
    return KST_OK;
}

kst_status kst_j2k_run_encode_search_begin(struct j2k_encoder *encoder)
{
    const bool by_error = encoder->options.target == KST_J2K_PSNR;
    struct encoding *e = encoder->e;
    kst_status status = KST_OK;
    encoder->search = kst_memory_zeroed(&e->memory, 1, sizeof *encoder->search, &status);
    if (!encoder->search)
        return kst_report_error(&e->report, status, KST_NO_OFFSET, NULL);
    *encoder->search = (struct j2k_step_search){.encoder = encoder,
        .by_error = by_error,
        .counts = encoder->request.count,
        .bias = 1,
        .finest = ldexp(finest, -(int)kst_j2k_run_encode_finer(encoder))};
    begin_anew(encoder->search, encoder->request.count);
    if (by_error) {
        encoder->search->close = close_error;
        encoder->search->aim = aim_error;
    }
    status = kst_j2k_run_encode_around(encoder, &encoder->search->around);
    encoder->search->budget = kst_j2k_run_encode_budget(encoder, encoder->search->around);
    return status || !encoder->request.count ? status : measure_frame(encoder->search);
}

void kst_j2k_run_encode_search_end(struct j2k_encoder *encoder)
{
    kst_memory_release(&encoder->e->memory, encoder->search);
    encoder->search = NULL;
}

kst_status kst_j2k_run_encode_search(struct j2k_encoder *encoder)
{
    kst_status status = KST_OK;
    if (encoder->reversible)
        return search_planes(encoder);
    if (!encoder->search)
        status = kst_j2k_run_encode_search_begin(encoder);
    if (!status && !encoder->search->found) /* otherwise it was done together with other searches */
        status = run(encoder);
    if (!status && encoder->options.passes > 1)
        return improve(encoder);
    if (status || !allocates(encoder->search))
        return status;
    status = code_measured(encoder->search);
    if (status)
        return status;
    return (encoder->search->by_error ? kst_j2k_run_encode_reach : kst_j2k_run_encode_rates)(encoder);
}
