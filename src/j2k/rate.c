/* SPDX-License-Identifier: BSD-2-Clause */
#include "j2k/rate.h"

#include <math.h>

#include "core/report.h"

enum { STEPS = 40, PRECINCTS_TOGETHER = 16, FILLERS = 64 };

struct allocation {
    const struct j2k_rate *rate;
    struct pool *pool;
    struct j2k_packets *packets;
    uint8_t *layer_passes;
    double *slope; /* of each pass */
    double whole;  /* the error of a picture without any pass */
    uint64_t overhead, committed;
    uint32_t layer;
    bool commit;
    atomic_uint_fast64_t measured;
};

/*
 * The convex hull from the left: of the passes kept so far those go that the new one makes worthless. A pass that costs
 * nothing comes with the one before it.
 */
void kst_j2k_slopes(const uint32_t *length, const double *gain, uint32_t passes, double *slope)
{
    uint8_t hull[256];
    double reached[256], sum = 0;
    uint32_t count = 0;
    for (uint32_t pass = 0; pass < passes; pass++) {
        slope[pass] = 0;
        sum += gain[pass];
        double steepness = 0;
        for (;;) {
            uint32_t before = count > 0 ? length[hull[count - 1]] : 0;
            double more = sum - (count > 0 ? reached[count - 1] : 0);
            if (more <= 0)
                break;
            steepness = length[pass] > before ? more / (length[pass] - before) : INFINITY;
            if (count == 0 || steepness < slope[hull[count - 1]])
                break;
            slope[hull[--count]] = 0;
            steepness = 0;
        }
        if (steepness > 0) {
            slope[pass] = steepness;
            reached[count] = sum;
            hull[count++] = (uint8_t)pass;
        }
    }
}

static uint32_t block_count(const struct allocation *a)
{
    return a->rate->coded->plan.block_count;
}

static uint8_t *passes_of(const struct allocation *a, uint32_t block)
{
    return &a->layer_passes[(size_t)block * a->rate->coded->layers + a->layer];
}

static uint8_t passes_before(const struct allocation *a, uint32_t block)
{
    return a->layer == 0 ? 0 : passes_of(a, block)[-1];
}

/* Every block as far as a byte gains at least so much, but not less far than the layers before. */
static void choose(const struct allocation *a, double threshold)
{
    for (uint32_t b = 0; b < block_count(a); b++) {
        const struct j2k_block_code *block = &a->rate->coded->block[b];
        const double *slope = a->slope + block->first_pass;
        uint8_t chosen = passes_before(a, b);
        for (uint32_t pass = chosen; pass < block->passes; pass++)
            if (slope[pass] >= threshold)
                chosen = (uint8_t)(pass + 1);
        *passes_of(a, b) = chosen;
    }
}

static void choose_all(const struct allocation *a)
{
    for (uint32_t b = 0; b < block_count(a); b++)
        *passes_of(a, b) = a->rate->coded->block[b].passes;
}

static double error_of(const struct allocation *a)
{
    double error = a->whole;
    for (uint32_t b = 0; b < block_count(a); b++) {
        const double *gain = a->rate->gain + a->rate->coded->block[b].first_pass;
        for (uint32_t pass = 0; pass < *passes_of(a, b); pass++)
            error -= gain[pass];
    }
    return error > 0 ? error : 0;
}

/* Bytes of bodies alone that this layer adds: packets take no less. */
static uint64_t bodies_of(const struct allocation *a)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < block_count(a); b++) {
        const struct j2k_block_code *block = &a->rate->coded->block[b];
        const uint32_t *length = a->rate->coded->pass_length + block->first_pass;
        uint32_t from = passes_before(a, b), to = *passes_of(a, b);
        sum += (to > 0 ? length[to - 1] : 0) - (from > 0 ? length[from - 1] : 0);
    }
    return sum;
}

static void measure_precincts(void *argument, uint32_t index)
{
    struct allocation *a = argument;
    uint32_t first = index * PRECINCTS_TOGETHER, count = a->rate->coded->precinct_count;
    uint64_t sum = 0;
    for (uint32_t p = first; p < count && p < first + PRECINCTS_TOGETHER; p++)
        sum += kst_j2k_packet_measure(a->packets, p, a->layer, a->rate->writing->packet_lengths, a->commit);
    atomic_fetch_add(&a->measured, sum);
}

static uint64_t measure(struct allocation *a, bool commit)
{
    uint32_t count = a->rate->coded->precinct_count;
    a->commit = commit;
    atomic_store(&a->measured, 0);
    kst_pool_run(a->pool, (count + PRECINCTS_TOGETHER - 1) / PRECINCTS_TOGETHER, measure_precincts, a);
    return atomic_load(&a->measured);
}

/* What later layers cost in any case: an empty packet of each precinct. */
static uint64_t empty_packets(const struct allocation *a)
{
    uint32_t left = a->rate->coded->layers - a->layer - 1U;
    return (uint64_t)left * a->rate->coded->precinct_count;
}

static bool fits(struct allocation *a, const struct j2k_layer_target *target)
{
    if (target->bytes == UINT64_MAX)
        return true;
    uint64_t fixed = a->overhead + a->committed + empty_packets(a);
    return fixed + bodies_of(a) <= target->bytes && fixed + measure(a, false) <= target->bytes;
}

/* Slopes span many magnitudes; the threshold is sought between the logarithms of the least and the greatest. */
struct range {
    double low, high;
};

static struct range slope_range(const struct allocation *a)
{
    struct range range = {INFINITY, 0};
    for (uint32_t b = 0; b < block_count(a); b++) {
        const struct j2k_block_code *block = &a->rate->coded->block[b];
        for (uint32_t pass = 0; pass < block->passes; pass++) {
            double slope = a->slope[block->first_pass + pass];
            if (slope > 0 && slope < range.low)
                range.low = slope;
            if (slope < INFINITY && slope > range.high)
                range.high = slope;
        }
    }
    range.low = range.high > 0 ? log(range.low) - 1e-9 : 0;
    range.high = range.high > 0 ? log(range.high) + 1e-9 : 0;
    return range;
}

/* A block's next cut behind where the threshold has it. */
struct filler {
    double slope;
    uint32_t block;
    uint8_t passes;
};

/* The FILLERS steepest whose bytes alone are no more than `left`, steepest first, then by their blocks. */
static uint32_t find_fillers(const struct allocation *a, uint64_t left, struct filler found[FILLERS])
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < block_count(a); b++) {
        const struct j2k_block_code *block = &a->rate->coded->block[b];
        const uint32_t *length = a->rate->coded->pass_length + block->first_pass;
        const double *slope = a->slope + block->first_pass;
        uint32_t chosen = *passes_of(a, b), pass = chosen;
        while (pass < block->passes && slope[pass] <= 0)
            pass++;
        if (pass == block->passes || length[pass] - (chosen > 0 ? length[chosen - 1] : 0) > left ||
            (count == FILLERS && slope[pass] <= found[FILLERS - 1].slope))
            continue;
        uint32_t at = count < FILLERS ? count++ : FILLERS - 1;
        for (; at > 0 && found[at - 1].slope < slope[pass]; at--)
            found[at] = found[at - 1];
        found[at] = (struct filler){slope[pass], b, (uint8_t)(pass + 1)};
    }
    return count;
}

static uint32_t precinct_of(const struct j2k_coded *coded, uint32_t block)
{
    for (uint32_t p = 0; p < coded->precinct_count; p++)
        for (uint32_t b = 0; b < 3; b++) {
            const struct j2k_coded_precinct *precinct = &coded->precinct[p];
            if (block - precinct->first_block[b] < (uint32_t)precinct->columns[b] * precinct->rows[b])
                return p;
        }
    return 0;
}

/* Passes that still fit where those of the next slope as a whole do not. */
static void fill(struct allocation *a, const struct j2k_layer_target *target)
{
    uint64_t used = a->overhead + a->committed + empty_packets(a) + measure(a, false);
    struct filler filler[FILLERS];
    if (used > target->bytes)
        return;
    uint64_t left = target->bytes - used;
    uint32_t count = find_fillers(a, left, filler);
    for (uint32_t i = 0; i < count && left > 0; i++) {
        uint32_t precinct = precinct_of(a->rate->coded, filler[i].block);
        uint8_t *passes = passes_of(a, filler[i].block), before = *passes;
        bool lengths = a->rate->writing->packet_lengths;
        uint64_t bytes = kst_j2k_packet_measure(a->packets, precinct, a->layer, lengths, false);
        *passes = filler[i].passes;
        uint64_t more = kst_j2k_packet_measure(a->packets, precinct, a->layer, lengths, false) - bytes;
        if (more > left)
            *passes = before;
        else
            left -= more;
    }
}

/* The highest threshold that reaches the error, or the lowest that fits the bytes, whichever is higher. */
static double settle(struct allocation *a, const struct j2k_layer_target *target)
{
    struct range range = slope_range(a), bytes = range, error = range;
    choose(a, exp(range.low));
    if (!fits(a, target)) {
        for (uint32_t i = 0; i < STEPS; i++) {
            double middle = (bytes.low + bytes.high) / 2;
            choose(a, exp(middle));
            if (fits(a, target))
                bytes.high = middle;
            else
                bytes.low = middle;
        }
    } else
        bytes.high = range.low;
    if (target->error <= 0)
        error.low = range.low;
    for (uint32_t i = 0; i < STEPS && target->error > 0; i++) {
        double middle = (error.low + error.high) / 2;
        choose(a, exp(middle));
        if (error_of(a) <= target->error)
            error.low = middle;
        else
            error.high = middle;
    }
    double threshold = exp(bytes.high > error.low ? bytes.high : error.low);
    choose(a, threshold);
    if (target->bytes < UINT64_MAX && bytes.high > error.low)
        fill(a, target);
    return threshold;
}

static void settle_layer(struct allocation *a, double *threshold)
{
    const struct j2k_layer_target *target = &a->rate->target[a->layer];
    if (target->all)
        choose_all(a);
    else
        *threshold = fmin(*threshold, settle(a, target));
    a->committed += measure(a, true);
    if (a->rate->outcome)
        a->rate->outcome[a->layer] =
            (struct j2k_layer_outcome){.bytes = a->overhead + a->committed, .error = error_of(a)};
}

static void find_slopes(struct allocation *a)
{
    a->whole = a->rate->error;
    for (uint32_t b = 0; b < block_count(a); b++) {
        const struct j2k_block_code *block = &a->rate->coded->block[b];
        const double *gain = a->rate->gain + block->first_pass;
        kst_j2k_slopes(
            a->rate->coded->pass_length + block->first_pass, gain, block->passes, a->slope + block->first_pass);
        for (uint32_t pass = 0; pass < block->passes; pass++)
            a->whole += gain[pass];
    }
}

static size_t pass_total(const struct j2k_coded *coded)
{
    size_t total = 0;
    for (uint32_t b = 0; b < coded->plan.block_count; b++)
        total += coded->block[b].passes;
    return total;
}

kst_status kst_j2k_allocate_rate(struct memory *memory, struct pool *pool, const struct j2k_rate *rate,
    uint8_t *layer_passes, double *threshold, kst_report *report)
{
    struct allocation a = {.rate = rate, .pool = pool, .layer_passes = layer_passes};
    kst_status status = kst_j2k_packets_create(memory, rate->coded, &a.packets, report);
    if (status)
        return status;
    *threshold = INFINITY;
    a.slope = kst_memory_array(memory, pass_total(rate->coded), sizeof *a.slope, &status);
    if (a.slope) {
        atomic_init(&a.measured, 0);
        status = kst_j2k_overhead(memory, rate->coded, rate->writing, &a.overhead, report);
        a.overhead += rate->around;
        find_slopes(&a);
        for (; !status && a.layer < rate->coded->layers; a.layer++)
            settle_layer(&a, threshold);
    } else
        kst_report_error(report, status, KST_NO_OFFSET, NULL);
    kst_memory_release(memory, a.slope);
    kst_j2k_packets_release(memory, a.packets);
    return status;
}
