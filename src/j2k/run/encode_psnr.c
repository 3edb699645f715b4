/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds passes with which each layer reaches its PSNR, but does not exceed it by much. The gains of passes only add up
 * to an estimate of the error, because the synthesis functions are not orthogonal and samples are rounded. So the
 * encoder tries one estimate after the other for each layer that has a target: it decodes the resulting passes, and
 * measures the error.
 */
#include <float.h>
#include <math.h>

#include "core/report.h"
#include "j2k/run/encode.h"

enum { TRIES = 6 };

/*
 * Shares of the wanted error: the one from which on an error is close enough (0.1 dB), and the one to aim at (0.03 dB).
 */
static const double close_enough = 0.9772, aim = 0.9931;

/* Ratios of the error to its estimate, as medians over photographs. */
static const double excess_53 = 1.17, excess_97 = 1.03;

/* Return the squared error of the picture due to rounding to whole samples. */
static double rounding_error(const struct j2k_encoder *encoder)
{
    return kst_j2k_run_encode_samples(encoder) / 12;
}

/* Return the squared error that a layer's PSNR allows. A layer without a target gets 3 dB less than the next one. */
double kst_j2k_run_wanted_error(const struct j2k_encoder *encoder, uint32_t layer)
{
    const kst_j2k_options *o = &encoder->options;
    double psnr = o->layer_value ? o->layer_value[layer] : o->value - 3.0 * (o->layers - 1 - layer);
    double peak = ldexp(1, (int)j2k_encode_sample_depth(encoder, 0)) - 1;
    return kst_j2k_run_encode_samples(encoder) * peak * peak * pow(10, -psnr / 10);
}

/*
 * Return the estimate for a layer to try first. The error due to rounding to whole samples is subtracted, because gains
 * do not include it. For T.814 blocks, the error that remains with all passes is subtracted, which is the error of the
 * last layer.
 */
double kst_j2k_run_estimated_error(const struct j2k_encoder *encoder, uint32_t layer)
{
    const double least = 1e-3;
    if (kst_j2k_run_encode_searches(encoder)) {
        const double wanted = kst_j2k_run_wanted_error(encoder, layer);
        return fmax(wanted - kst_j2k_run_wanted_error(encoder, encoder->options.layers - 1), least * wanted);
    }
    double error = kst_j2k_run_wanted_error(encoder, layer), rounding = rounding_error(encoder);
    double excess = encoder->reversible ? excess_53 : excess_97;
    return (error > 1.5 * rounding ? error - rounding : error / 3) / excess;
}

/* Holds the result of one try: its estimate and the measured error. */
struct point {
    double estimate, error;
};

struct goal {
    double wanted, rounding; /* squared errors of the picture: the allowed one, and the one due to rounding alone */
    double estimate;         /* estimate to try next; 0: all passes */
    struct point good, bad;  /* worst try that reached the target, and best one that did not; 0: none yet */
    struct point last;
    bool open; /* not found yet */
};

/*
 * Return the slope of errors over estimates between two tries, both as logarithms. The farther apart the tries are, the
 * more accurate it is.
 */
static double slope_between(struct point a, struct point b)
{
    const double least = 1.0 / 3, most = 3;
    if (a.estimate <= 0 || b.estimate <= 0 || a.error <= 0 || b.error <= 0 || a.estimate == b.estimate)
        return 1;
    double slope = log(a.error / b.error) / log(a.estimate / b.estimate);
    return slope > least ? fmin(slope, most) : least;
}

static double next_estimate(const struct goal *goal, struct point now)
{
    bool rounds = goal->last.estimate <= 0 && goal->wanted > 1.5 * goal->rounding && now.error > 1.5 * goal->rounding;
    double base = rounds ? goal->rounding : 0, most = 4, least = 1.0 / 8;
    double factor = now.error > base ? (goal->wanted * aim - base) / (now.error - base) : most;
    factor = pow(factor, 1 / slope_between(goal->last, now));
    double next = now.estimate * fmax(least, fmin(factor, most));
    bool outside = next <= goal->good.estimate || next >= goal->bad.estimate;
    return goal->good.estimate > 0 && goal->bad.estimate > 0 && outside ? sqrt(goal->good.estimate * goal->bad.estimate)
                                                                        : next;
}

/*
 * Return the next estimate after one that led to the same error as the best try. Only whole passes can be taken, so
 * that errors change in jumps, and the next estimate must go beyond the jump.
 */
static double beyond_lump(const struct goal *goal)
{
    const double more = 1.1;
    return goal->bad.estimate > 0 ? sqrt(goal->estimate * goal->bad.estimate) : goal->estimate * more;
}

/*
 * Choose the next estimate to try, or stop if nothing better can be found. `estimate` is the estimate for the passes
 * that were actually taken, not the one that was tried.
 */
static void learn(struct goal *goal, double error, double estimate)
{
    const double hardly = 1.001;
    struct point now = {.estimate = estimate, .error = error};
    bool reached = error <= goal->wanted, again = reached && error == goal->good.error;
    bool close = error >= close_enough * goal->wanted ||
                 (again && goal->bad.estimate > 0 && goal->bad.estimate < hardly * goal->estimate);
    if (reached && error >= goal->good.error)
        goal->good = (struct point){goal->estimate, error};
    if (!reached && (goal->bad.estimate <= 0 || error <= goal->bad.error))
        goal->bad = now;
    goal->open = !(reached && close);
    if (goal->open)
        goal->estimate = again ? beyond_lump(goal) : next_estimate(goal, now);
    goal->last = now;
}

/*
 * Set the estimates of layers without a target: they are assumed to be wrong by the same factor as that of the last
 * layer.
 */
static void follow_last(struct j2k_encoder *encoder, const struct goal *goal)
{
    const kst_j2k_options *o = &encoder->options;
    double last = goal[o->layers - 1].estimate;
    double share = last > 0 ? last / kst_j2k_run_estimated_error(encoder, o->layers - 1) : 1;
    for (uint32_t l = 0; l < o->layers; l++)
        encoder->estimate[l] = o->layer_value      ? goal[l].estimate
                               : l + 1 < o->layers ? kst_j2k_run_estimated_error(encoder, l) * share
                                                   : goal[l].estimate;
}

/* Take the best try of each layer. If some layer has none that reached its target, code all passes. */
static kst_status settle(struct j2k_encoder *encoder, struct goal *goal)
{
    bool all = false, same = true;
    for (uint32_t l = 0; l < encoder->options.layers; l++) {
        bool open = goal[l].open;
        goal[l].estimate = open ? goal[l].good.estimate : goal[l].estimate;
        all = all || (open && goal[l].good.estimate <= 0);
        same = same && !open;
    }
    if (same)
        return KST_OK;
    follow_last(encoder, goal);
    kst_status status = KST_OK;
    if (all && encoder->request.stop != DBL_MIN && !kst_j2k_run_encode_searches(encoder)) {
        encoder->request.stop = DBL_MIN; /* no pass gains less */
        kst_progress_again(&encoder->e->progress, encoder->coded.plan.block_count);
        status = kst_j2k_run_encode_blocks(encoder);
    }
    return status ? status : kst_j2k_run_encode_rates(encoder);
}

static kst_status search(struct j2k_encoder *encoder, struct goal *goal, bool *wanted, double *error)
{
    uint32_t layers = encoder->options.layers;
    for (uint32_t i = 0; i < TRIES; i++) {
        bool any = false;
        follow_last(encoder, goal);
        kst_status status = kst_j2k_run_encode_rates(encoder);
        for (uint32_t l = 0; l < layers; l++)
            any = (wanted[l] = goal[l].open) || any;
        if (!status && any)
            status = kst_j2k_run_encode_measure(encoder, wanted, error);
        if (status)
            return status;
        any = false;
        for (uint32_t l = 0; l < layers; l++)
            if (wanted[l]) {
                learn(&goal[l], error[l], encoder->outcome[l].error);
                any = any || goal[l].open;
            }
        if (!any)
            return KST_OK;
    }
    return settle(encoder, goal);
}

kst_status kst_j2k_run_encode_reach(struct j2k_encoder *encoder)
{
    struct memory *memory = &encoder->e->memory;
    uint32_t layers = encoder->options.layers;
    kst_status status = KST_OK;
    struct goal *goal = kst_memory_zeroed(memory, layers, sizeof *goal, &status);
    bool *wanted = kst_memory_zeroed(memory, layers, sizeof *wanted, &status);
    double *error = kst_memory_zeroed(memory, layers, sizeof *error, &status);
    encoder->estimate = kst_memory_zeroed(memory, layers, sizeof *encoder->estimate, &status);
    encoder->outcome = kst_memory_zeroed(memory, layers, sizeof *encoder->outcome, &status);
    if (status)
        kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, NULL);
    for (uint32_t l = 0; l < layers && !status; l++)
        goal[l] = (struct goal){.wanted = kst_j2k_run_wanted_error(encoder, l),
            .rounding = rounding_error(encoder),
            .estimate = kst_j2k_run_estimated_error(encoder, l),
            .open = l + 1 == layers ? !kst_j2k_run_encode_searches(encoder) : encoder->options.layer_value != NULL};
    if (!status)
        status = search(encoder, goal, wanted, error);
    kst_memory_release(memory, goal);
    kst_memory_release(memory, wanted);
    kst_memory_release(memory, error);
    return status;
}
