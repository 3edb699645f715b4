/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PSNR that is reached, and not by much more than is needed. What passes gain adds up to an estimate alone, since the
 * functions of a synthesis are not orthogonal and samples are rounded. So what the estimate should be is found by
 * decoding what it leads to: one estimate after the other, of each layer that was asked for.
 */
#include <float.h>
#include <math.h>

#include "core/report.h"
#include "j2k/run/encode.h"

enum { TRIES = 6 };

/* Errors as shares of the wanted one: what is close enough, 0.1 dB, and what is aimed at, 0.03 dB. */
static const double close_enough = 0.9772, aim = 0.9931;

/* About what the error is of what is estimated, the median of photographs. */
static const double excess_53 = 1.17, excess_97 = 1.03;

/* Squared, of the picture: what rounding to whole samples makes. */
static double rounding_error(const struct j2k_encode_work *work)
{
    return kst_j2k_encode_samples(work) / 12;
}

/* What a layer's PSNR stands for; of one that nothing was said of 3 dB less than of the next one. */
static double wanted_error(const struct j2k_encode_work *work, uint32_t layer)
{
    const kst_j2k_options *o = &work->options;
    double psnr = o->layer_value ? o->layer_value[layer] : o->value - 3.0 * (o->layers - 1 - layer);
    double peak = ldexp(1, work->origin[0].depth) - 1;
    return kst_j2k_encode_samples(work) * peak * peak * pow(10, -psnr / 10);
}

/* What rounding to whole samples adds is taken off. */
double kst_j2k_estimated_error(const struct j2k_encode_work *work, uint32_t layer)
{
    double error = wanted_error(work, layer), rounding = rounding_error(work);
    double excess = work->reversible ? excess_53 : excess_97;
    return (error > 1.5 * rounding ? error - rounding : error / 3) / excess;
}

/* What a try came to: its estimate and the error itself. */
struct point {
    double estimate, error;
};

struct goal {
    double wanted, rounding; /* squared errors of the picture; what rounding alone makes of any */
    double estimate;         /* that is tried; 0: every pass */
    struct point good, bad;  /* the worst that reached it, the best that did not; 0: none yet */
    struct point last;
    bool open; /* not yet found */
};

/* How errors follow estimates, both in logarithms: two tries tell it, the more so the farther they lie apart. */
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

/* Beyond what came to the same as the best one: passes come in lumps. */
static double beyond_lump(const struct goal *goal)
{
    const double more = 1.1;
    return goal->bad.estimate > 0 ? sqrt(goal->estimate * goal->bad.estimate) : goal->estimate * more;
}

/* What to try next, or that there is nothing better. What is estimated of the passes taken counts. */
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

/* Layers that nothing was said of follow the last one: their estimates are off by what its own is. */
static void follow_last(struct j2k_encode_work *work, const struct goal *goal)
{
    const kst_j2k_options *o = &work->options;
    double last = goal[o->layers - 1].estimate;
    double share = last > 0 ? last / kst_j2k_estimated_error(work, o->layers - 1) : 1;
    for (uint32_t l = 0; l < o->layers; l++)
        work->estimate[l] = o->layer_value      ? goal[l].estimate
                            : l + 1 < o->layers ? kst_j2k_estimated_error(work, l) * share
                                                : goal[l].estimate;
}

/* The best of what was tried; where nothing reached the goal, all that there is to code. */
static kst_status settle(struct j2k_encode_work *work, struct goal *goal)
{
    bool all = false, same = true;
    for (uint32_t l = 0; l < work->options.layers; l++) {
        bool open = goal[l].open;
        goal[l].estimate = open ? goal[l].good.estimate : goal[l].estimate;
        all = all || (open && goal[l].good.estimate <= 0);
        same = same && !open;
    }
    if (same)
        return KST_OK;
    follow_last(work, goal);
    kst_status status = KST_OK;
    if (all && work->source.stop != DBL_MIN) {
        work->source.stop = DBL_MIN; /* nothing gains less */
        kst_progress_again(&work->e->progress, work->coded.plan.block_count);
        status = kst_j2k_encode_blocks(work);
    }
    return status ? status : kst_j2k_encode_rates(work);
}

static kst_status search(struct j2k_encode_work *work, struct goal *goal, bool *wanted, double *error)
{
    uint32_t layers = work->options.layers;
    for (uint32_t i = 0; i < TRIES; i++) {
        bool any = false;
        follow_last(work, goal);
        kst_status status = kst_j2k_encode_rates(work);
        if (!status) {
            for (uint32_t l = 0; l < layers; l++)
                wanted[l] = goal[l].open;
            status = kst_j2k_encode_measure(work, wanted, error);
        }
        if (status)
            return status;
        for (uint32_t l = 0; l < layers; l++)
            if (wanted[l]) {
                learn(&goal[l], error[l], work->outcome[l].error);
                any = any || goal[l].open;
            }
        if (!any)
            return KST_OK;
    }
    return settle(work, goal);
}

kst_status kst_j2k_encode_reach(struct j2k_encode_work *work)
{
    struct memory *memory = &work->e->memory;
    uint32_t layers = work->options.layers;
    kst_status status = KST_OK;
    struct goal *goal = kst_memory_zeroed(memory, layers, sizeof *goal, &status);
    bool *wanted = kst_memory_zeroed(memory, layers, sizeof *wanted, &status);
    double *error = kst_memory_zeroed(memory, layers, sizeof *error, &status);
    work->estimate = kst_memory_zeroed(memory, layers, sizeof *work->estimate, &status);
    work->outcome = kst_memory_zeroed(memory, layers, sizeof *work->outcome, &status);
    if (status)
        kst_report_error(&work->e->report, status, KST_NO_OFFSET, NULL);
    for (uint32_t l = 0; l < layers && !status; l++)
        goal[l] = (struct goal){.wanted = wanted_error(work, l),
            .rounding = rounding_error(work),
            .estimate = kst_j2k_estimated_error(work, l),
            .open = work->options.layer_value || l + 1 == layers};
    if (!status)
        status = search(work, goal, wanted, error);
    kst_memory_release(memory, goal);
    kst_memory_release(memory, wanted);
    kst_memory_release(memory, error);
    return status;
}
