/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills the layers one after the other with the cuts of greatest gain per byte, measuring packets as it goes. */
#include "j2k/rate/rate.h"

#include <math.h>
#include <string.h>

#include "core/report.h"
#include "j2k/rate/rate_cuts.h"

enum {
    PRECINCTS_TOGETHER = 16, /* precincts that a thread measures at once, if there are many */
    MANY_PRECINCTS = 64,
    GUESSES = 4
};

struct allocation {
    const struct j2k_rate *rate;
    struct pool *pool;
    struct j2k_packets *packets;
    uint8_t *layer_passes;
    struct j2k_rate_cuts cuts;
    size_t at; /* number of cuts that the layers have so far */
    uint64_t overhead, committed;
    uint64_t bodies; /* bytes of bodies that this layer adds, a lower bound on what its packets take */
    uint32_t layer;
    uint32_t *precinct; /* for each block, its precinct */
    uint64_t *length;   /* bytes of each precinct's packet in this layer, if `known` */
    bool *known;
    uint32_t *measured; /* precincts that have to be measured */
    uint32_t measured_count;
    uint32_t together; /* precincts that a thread measures at once */
    bool commit;
};

static uint32_t block_count(const struct allocation *a)
{
    return a->rate->coded->plan.block_count;
}

static uint8_t *passes_of(const struct allocation *a, uint32_t block)
{
    return &a->layer_passes[(size_t)block * a->rate->coded->layers + a->layer];
}

static void forget_lengths(struct allocation *a)
{
    memset(a->known, 0, a->rate->coded->precinct_count * sizeof *a->known);
}

/* Begin a layer with the passes that the previous one has. */
static void begin_layer(struct allocation *a)
{
    for (uint32_t b = 0; b < block_count(a); b++)
        *passes_of(a, b) = a->layer == 0 ? 0 : passes_of(a, b)[-1];
    a->bodies = 0;
    forget_lengths(a);
}

static void set_passes(struct allocation *a, uint32_t block, uint8_t passes)
{
    *passes_of(a, block) = passes;
    a->known[a->precinct[block]] = false;
}

/* Take a cut. One without passes was taken by an earlier layer. */
static void take(struct allocation *a, const struct j2k_rate_cut *cut)
{
    if (cut->from < cut->to)
        set_passes(a, cut->block, cut->to);
    a->bodies += cut->bytes;
}

static void give_back(struct allocation *a, const struct j2k_rate_cut *cut)
{
    if (cut->from < cut->to)
        set_passes(a, cut->block, cut->from);
    a->bodies -= cut->bytes;
}

static void move_to(struct allocation *a, size_t place)
{
    while (a->at < place)
        take(a, &a->cuts.cut[a->at++]);
    while (a->at > place)
        give_back(a, &a->cuts.cut[--a->at]);
}

static void take_all(struct allocation *a)
{
    for (uint32_t b = 0; b < block_count(a); b++)
        *passes_of(a, b) = a->rate->coded->block[b].passes;
    forget_lengths(a);
    a->at = a->cuts.count;
}

static double error_of(const struct allocation *a)
{
    double error = a->rate->error;
    for (uint32_t b = 0; b < block_count(a); b++)
        error += kst_j2k_gain_of(a->rate, b, *passes_of(a, b), a->rate->coded->block[b].passes);
    return error > 0 ? error : 0;
}

static void measure_precinct(struct allocation *a, uint32_t precinct)
{
    a->length[precinct] =
        kst_j2k_packet_measure(a->packets, precinct, a->layer, a->rate->writing->packet_lengths, a->commit);
    a->known[precinct] = true;
}

static void measure_some(void *argument, uint32_t index)
{
    struct allocation *a = argument;
    uint32_t first = index * a->together, left = a->measured_count - first;
    for (uint32_t i = first; i < first + (left < a->together ? left : a->together); i++)
        measure_precinct(a, a->measured[i]);
}

/* Measure the bytes of the layer's packets. Only those whose blocks have changed are measured again. */
static uint64_t measure(struct allocation *a)
{
    uint64_t sum = 0;
    a->measured_count = 0;
    for (uint32_t p = 0; p < a->rate->coded->precinct_count; p++)
        if (!a->known[p])
            a->measured[a->measured_count++] = p;
    a->together = a->measured_count < MANY_PRECINCTS ? 1 : PRECINCTS_TOGETHER;
    kst_pool_run(a->pool, (a->measured_count + a->together - 1) / a->together, measure_some, a);
    for (uint32_t p = 0; p < a->rate->coded->precinct_count; p++)
        sum += a->length[p];
    return sum;
}

/*
 * Measure the layer's packets once its passes are decided, and, unless it is the last layer, commit to all of its
 * headers so that later layers continue from them.
 */
static uint64_t commit(struct allocation *a)
{
    bool last = a->layer + 1 == a->rate->coded->layers;
    if (!last)
        forget_lengths(a);
    a->commit = !last;
    uint64_t sum = measure(a);
    a->commit = false;
    return sum;
}

/* Return the number of bytes that later layers take in any case: those of an empty packet for each precinct. */
static uint64_t empty_packets(const struct allocation *a)
{
    uint32_t left = a->rate->coded->layers - a->layer - 1U;
    return (uint64_t)left * a->rate->coded->precinct_count;
}

/* Return the number of bytes that this layer's packets may take. */
static uint64_t budget_of(const struct allocation *a, const struct j2k_layer_target *target)
{
    uint64_t fixed = a->overhead + a->committed + empty_packets(a);
    return fixed < target->bytes ? target->bytes - fixed : 0;
}

/* Return the number of cuts with which the error is reached, or of all cuts if it is not. */
static size_t place_of_error(const struct allocation *a, double wanted)
{
    size_t place = a->at;
    double error = wanted > 0 ? error_of(a) : 0;
    if (wanted <= 0)
        return a->cuts.count;
    for (; place < a->cuts.count && error > wanted; place++)
        error -= kst_j2k_gain_of(a->rate, a->cuts.cut[place].block, a->cuts.cut[place].from, a->cuts.cut[place].to);
    return place;
}

/* Move to where bodies and an assumed number of bytes of headers just fit, strictly between the two places. */
static void guess(struct allocation *a, size_t low, size_t high, uint64_t headers, uint64_t budget)
{
    while (a->at > low + 1 && (a->at >= high || a->bodies + headers > budget))
        move_to(a, a->at - 1);
    while (a->at < low + 1 || (a->at + 1 < high && a->bodies + a->cuts.cut[a->at].bytes + headers <= budget))
        move_to(a, a->at + 1);
}

/*
 * Take as many cuts as fit, up to `end`. Lengths of headers hardly change from one cut to the next, so that a few
 * guesses come close; bisection does the rest. Returns the bytes of the layer's packets.
 */
static uint64_t fill_budget(struct allocation *a, size_t end, uint64_t budget)
{
    size_t low = a->at, high;
    while (a->at < end && a->bodies + a->cuts.cut[a->at].bytes <= budget)
        move_to(a, a->at + 1);
    uint64_t bytes = measure(a), fitting = bytes;
    if (bytes <= budget || a->at == low)
        return bytes;
    high = a->at;
    for (int tries = 0; high - low > 1; tries++) {
        if (tries < GUESSES)
            guess(a, low, high, bytes - a->bodies, budget);
        else
            move_to(a, low + (high - low) / 2);
        bytes = measure(a);
        if (bytes <= budget) {
            low = a->at;
            fitting = bytes;
        } else
            high = a->at;
    }
    move_to(a, low);
    return fitting;
}

static uint32_t blocks_of(const struct j2k_coded_precinct *precinct)
{
    uint32_t sum = 0;
    for (uint32_t b = 0; b < 3; b++)
        sum += (uint32_t)precinct->columns[b] * precinct->rows[b];
    return sum;
}

/*
 * Take a cut's passes if they fit into `left` bytes, including the change of the packet's header. Returns whether they
 * do.
 */
static bool try_cut(struct allocation *a, const struct j2k_rate_cut *cut, uint64_t *left)
{
    uint32_t precinct = a->precinct[cut->block];
    if (!a->known[precinct])
        measure_precinct(a, precinct);
    uint64_t before = a->length[precinct];
    *passes_of(a, cut->block) = cut->to;
    measure_precinct(a, precinct);
    if (a->length[precinct] - before > *left) {
        *passes_of(a, cut->block) = cut->from;
        a->length[precinct] = before;
        return false;
    }
    *left -= a->length[precinct] - before;
    return true;
}

/*
 * Take later cuts, which gain less but may still fit where the next one does not. The order of a block's own cuts is
 * kept. What is taken here costs the next layers nothing.
 */
static void fill_rest(struct allocation *a, size_t end, uint64_t left)
{
    enum { FAR = 4096, BLOCKS = 4096 /* most blocks whose packets' headers are measured for this */ };
    uint32_t blocks = 0;
    for (size_t i = a->at; i < end && i - a->at < FAR && blocks < BLOCKS && left > 0; i++) {
        struct j2k_rate_cut *cut = &a->cuts.cut[i];
        if (cut->bytes > left || cut->from == cut->to || *passes_of(a, cut->block) != cut->from)
            continue;
        blocks += blocks_of(&a->rate->coded->precinct[a->precinct[cut->block]]);
        if (!try_cut(a, cut, &left))
            continue;
        cut->from = cut->to;
        cut->bytes = 0;
    }
}

/*
 * Fill a layer until its target error is reached or its bytes are used up. Returns the gain per byte of the last cut
 * that was asked for.
 */
static double settle(struct allocation *a, const struct j2k_layer_target *target)
{
    size_t end = place_of_error(a, target->error);
    if (target->bytes == UINT64_MAX)
        move_to(a, end);
    else {
        uint64_t budget = budget_of(a, target), bytes = fill_budget(a, end, budget);
        if (bytes < budget)
            fill_rest(a, end, budget - bytes);
    }
    if (a->cuts.count == 0)
        return INFINITY;
    return a->cuts.cut[a->at < end ? a->at : end > 0 ? end - 1 : 0].slope;
}

static void settle_layer(struct allocation *a, double *threshold)
{
    const struct j2k_layer_target *target = &a->rate->target[a->layer];
    begin_layer(a);
    if (target->all)
        take_all(a);
    else
        *threshold = fmin(*threshold, settle(a, target));
    a->committed += commit(a);
    if (a->rate->outcome)
        a->rate->outcome[a->layer] =
            (struct j2k_layer_outcome){.bytes = a->overhead + a->committed, .error = error_of(a)};
}

static void find_precincts(struct allocation *a)
{
    const struct j2k_coded *coded = a->rate->coded;
    for (uint32_t p = 0; p < coded->precinct_count; p++)
        for (uint32_t b = 0; b < 3; b++)
            for (uint32_t i = 0; i < (uint32_t)coded->precinct[p].columns[b] * coded->precinct[p].rows[b]; i++)
                a->precinct[coded->precinct[p].first_block[b] + i] = p;
}

static kst_status prepare(struct allocation *a, struct memory *memory)
{
    kst_status status = KST_OK;
    uint32_t precincts = a->rate->coded->precinct_count;
    a->precinct = kst_memory_array(memory, block_count(a), sizeof *a->precinct, &status);
    a->length = kst_memory_array(memory, precincts, sizeof *a->length, &status);
    a->known = kst_memory_array(memory, precincts, sizeof *a->known, &status);
    a->measured = kst_memory_array(memory, precincts, sizeof *a->measured, &status);
    if (status)
        return status;
    find_precincts(a);
    return kst_j2k_rate_cuts(memory, a->pool, a->rate, &a->cuts);
}

static void release(struct allocation *a, struct memory *memory)
{
    kst_memory_release(memory, a->cuts.cut);
    kst_memory_release(memory, a->precinct);
    kst_memory_release(memory, a->length);
    kst_memory_release(memory, a->known);
    kst_memory_release(memory, a->measured);
    kst_j2k_packets_release(memory, a->packets);
}

kst_status kst_j2k_allocate_rate(
    const struct operation *op, const struct j2k_rate *rate, uint8_t *layer_passes, double *threshold)
{
    struct allocation a = {.rate = rate, .pool = op->pool, .layer_passes = layer_passes};
    kst_status status = kst_j2k_packets_create(op, rate->coded, &a.packets);
    if (status)
        return status;
    *threshold = INFINITY;
    status = prepare(&a, op->memory);
    if (status)
        kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    else
        status = kst_j2k_overhead(op, rate->coded, rate->writing, &a.overhead);
    a.overhead += rate->around;
    for (; !status && a.layer < rate->coded->layers; a.layer++)
        settle_layer(&a, threshold);
    release(&a, op->memory);
    return status;
}
