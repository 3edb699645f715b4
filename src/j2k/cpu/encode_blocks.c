/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes code-blocks: quantises coefficients from a band's resident rows, codes or measures them, and keeps the results.
 */
#include <math.h>
#include <string.h>

#include "j2k/cpu/blocks/encode_set.h"
#include "j2k/plan/norms.h"
#include "j2k/syntax/geometry.h"

static size_t worker_length(void)
{
    return offsetof(struct j2k_encode_worker, scratch) + kst_j2k_cpu_encoder_length();
}

size_t kst_j2k_cpu_encode_worker_need(void)
{
    return worker_length() + J2K_ENCODED_CHUNK + 2 * (size_t)KST_MEMORY_OVERHEAD;
}

struct j2k_encode_worker *kst_j2k_cpu_encode_worker_take(struct j2k_encoding *encoding)
{
    pthread_mutex_lock(&encoding->shared);
    struct j2k_encode_worker *worker = encoding->idle;
    if (worker)
        encoding->idle = worker->next;
    pthread_mutex_unlock(&encoding->shared);
    if (!worker && (worker = kst_j2k_encode_take(encoding, 1, worker_length()))) {
        worker->chunk = NULL;
        worker->keeping = (struct j2k_keeping){.data = NULL};
    }
    return worker;
}

void kst_j2k_cpu_encode_worker_put(struct j2k_encoding *encoding, struct j2k_encode_worker *worker)
{
    pthread_mutex_lock(&encoding->shared);
    worker->next = encoding->idle;
    encoding->idle = worker;
    pthread_mutex_unlock(&encoding->shared);
}

void kst_j2k_cpu_encode_drop_workers(struct j2k_encoding *encoding)
{
    while (encoding->idle) {
        struct j2k_encode_worker *next = encoding->idle->next;
        kst_j2k_cpu_encode_end_keeping(encoding, encoding->idle);
        kst_memory_release(encoding->memory, encoding->idle);
        encoding->idle = next;
    }
}

static void raise_region(
    const struct j2k_encoding *encoding, const struct j2k_block *block, uint32_t shift, uint32_t *sample)
{
    struct j2k_rect region = kst_j2k_region_in_band(encoding, &encoding->coded->plan.band[block->band]);
    for (uint32_t y = 0; y < block->height; y++)
        for (uint32_t x = 0; x < block->width; x++, sample++) {
            uint32_t bx = block->x + x, by = block->y + y;
            if (bx >= region.x0 && bx < region.x1 && by >= region.y0 && by < region.y1)
                *sample = (*sample & 0x80000000) | (*sample & 0x7FFFFFFF) << shift;
        }
}

/*
 * Return the squared error between a row of coefficients and what a decoder reconstructs from their indices, in squares
 * of 2^-14 of the step. It is an integer, so that every order of summation gives the same result.
 */
static uint64_t row_error(const float *from, const uint32_t *index, float factor, size_t count)
{
    uint64_t sum = 0;
    for (size_t x = 0; x < count; x++) {
        uint32_t magnitude = index[x] & 0x7FFFFFFF;
        float error = fabsf(from[x]) * factor - (magnitude > 0 ? (float)magnitude + 0.5F : 0);
        int32_t part = (int32_t)(error * (float)(1 << J2K_ERROR_BITS));
        sum += (uint64_t)((int64_t)part * part);
    }
    return sum;
}

/* Prefetch a line into the first-level cache, or only into the second-level one. */
static inline void fetch_line(const uint8_t *line, bool first_level)
{
    enum { SECOND_LEVEL = 2 };
    if (first_level)
        __builtin_prefetch(line);
    else
        __builtin_prefetch(line, 0, SECOND_LEVEL);
}

/*
 * Prefetch a block's rows, which begin at a place. They are too far apart for processors to foresee, so each would be
 * waited for in turn.
 */
static inline void fetch_rows(
    const struct j2k_encode_resident *resident, const struct j2k_block *block, size_t place, bool first_level)
{
    enum { LINE = 64 };
    const size_t length = block->width * resident->size;
    for (uint32_t y = 0; y < block->height; y++) {
        const uint8_t *row = (const uint8_t *)j2k_encode_resident_row(resident, block->y + y) + place;
        for (size_t at = 0; at < length; at += LINE)
            fetch_line(row + at, first_level);
        fetch_line(row + length - 1, first_level);
    }
}

static const struct j2k_encode_component *component_of(const struct j2k_encode_set *set, const struct j2k_band *band)
{
    return &set->component[band->tile_component - set->tile->part->first_component - set->first];
}

/* Return the resident rows of the band that a block of the set is in. */
static const struct j2k_encode_resident *resident_of(const struct j2k_encode_set *set, const struct j2k_block *block)
{
    const struct j2k_encode_component *c = component_of(set, &set->tile->plan->band[block->band]);
    return &c->band[block->band - c->resolution->first_band];
}

/* Return where a block begins, in bytes behind the beginning of its band's rows. */
static size_t place_of(const struct j2k_encode_set *set, const struct j2k_block *block)
{
    const struct j2k_encode_resident *resident = resident_of(set, block);
    const struct j2k_band *band = &set->tile->plan->band[block->band];
    if (resident->lanes == 1)
        return (block->x - band->rect.x0) * resident->size;
    const uint32_t lane = j2k_lane_of_column(&set->lanes, block->x + block->width / 2U, 1);
    const uint32_t first = lane > 0 ? set->lanes.x[lane] / 2 : band->rect.x0;
    return lane * resident->lane + (block->x - first) * resident->size;
}

/* Return the larger one; fmaxf() is a call of another library. */
static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static const float *add_row(const float *a, const float *b, size_t count, float *sum)
{
    for (size_t x = 0; x < count; x++)
        sum[x] = a[x] + b[x];
    return sum;
}

/*
 * Load a block's coefficients into the encoder. `fed` is added to real ones; null: nothing is. Returns the quantiser's
 * error. `*largest` receives the largest magnitude of real coefficients; 0 for integers.
 */
static double load(const struct j2k_encode_set *set, uint32_t *sample, uint32_t index, const float *fed, float *largest)
{
    const struct j2k_encoding *encoding = set->tile->encoding;
    const struct j2k_block *block = &set->tile->plan->block[index];
    const struct j2k_band *band = &set->tile->plan->band[block->band];
    const struct j2k_encode_component *c = component_of(set, band);
    const struct j2k_encode_resident *resident = resident_of(set, block);
    float factor = 1.0F / band->step;
    uint64_t error = 0;
    *largest = 0;
    const size_t place = place_of(set, block);
    fetch_rows(resident, block, place, true);
    for (uint32_t y = 0; y < block->height; y++) {
        const uint8_t *row = j2k_encode_resident_row(resident, block->y + y);
        const void *from = row + place;
        float sum[J2K_BLOCK_SIDE];
        if (fed)
            from = add_row(from, fed + (size_t)y * block->width, block->width, sum);
        uint32_t *to = sample + (size_t)y * block->width;
        if (set->narrow)
            encoding->forward->sign_narrow(from, block->width, to);
        else if (c->tc->reversible)
            encoding->forward->sign_integers(from, block->width, to);
        else
            *largest = larger(*largest, encoding->forward->quantise(from, block->width, factor, to));
        if (!c->tc->reversible && encoding->request->error > 0) /* otherwise the error is not used */
            error += row_error(from, to, factor, block->width);
    }
    if (c->tc->roi_shift > 0 && !j2k_is_empty(encoding->request->region))
        raise_region(
            encoding, &encoding->coded->plan.block[j2k_encode_block(set->tile, index)], c->tc->roi_shift, sample);
    return j2k_quantiser_error(error);
}

static bool keep_passes(struct j2k_encoding *encoding, struct j2k_encode_worker *worker,
    const struct j2k_block_outcome *outcome, struct j2k_block_result *result)
{
    struct j2k_pass *pass = kst_j2k_encode_keep(encoding, &worker->chunk, outcome->passes * sizeof *pass);
    if (pass)
        memcpy(pass, outcome->pass, outcome->passes * sizeof *pass);
    result->pass = pass;
    return pass;
}

static bool keep_lengths(struct j2k_encoding *encoding, struct j2k_encode_worker *worker,
    const struct j2k_block_outcome *outcome, struct j2k_block_result *result)
{
    uint32_t *length = kst_j2k_encode_keep(encoding, &worker->chunk, outcome->passes * sizeof *length);
    for (uint32_t i = 0; length && i < outcome->passes; i++)
        length[i] = outcome->pass[i].length;
    result->length = length;
    return length;
}

/* Keep a coded block in memory. */
static bool keep_block(struct j2k_encoding *encoding, struct j2k_encode_worker *worker, uint32_t index,
    const struct j2k_block_outcome *outcome)
{
    struct j2k_block_result *result = &encoding->result[index];
    uint8_t *data = kst_j2k_encode_keep(encoding, &worker->chunk, outcome->length);
    if (!data || !(encoding->request->measure ? keep_passes : keep_lengths)(encoding, worker, outcome, result))
        return false;
    memcpy(data, outcome->data, outcome->length);
    encoding->coded->block[index].data = data;
    return true;
}

static void store(struct j2k_encoding *encoding, struct j2k_encode_worker *worker, uint32_t index,
    const struct j2k_block_outcome *outcome, double error)
{
    struct j2k_block_code *coded = &encoding->coded->block[index];
    encoding->result[index] = (struct j2k_block_result){
        .planes = (uint8_t)outcome->planes, .top = (uint8_t)outcome->top, .error = error + outcome->left / 4};
    coded->data = NULL;
    coded->passes = 0;
    if (outcome->passes == 0)
        return;
    if ((encoding->request->keeper ? kst_j2k_cpu_encode_keep_apart : keep_block)(encoding, worker, index, outcome))
        coded->passes = (uint8_t)outcome->passes;
}

/* Keep a set of passes with its bytes. Returns false if memory is missing. */
static bool keep_candidate(struct j2k_encoding *encoding, struct j2k_encode_worker *worker,
    const struct j2k_block_outcome *outcome, struct j2k_candidate *to)
{
    uint8_t *data = kst_j2k_encode_keep(encoding, &worker->chunk, outcome->length);
    if (!data)
        return false;
    memcpy(data, outcome->data, outcome->length);
    *to =
        (struct j2k_candidate){.data = data, .plane = (uint8_t)(outcome->top - 1), .passes = (uint8_t)outcome->passes};
    for (uint32_t i = 0; i < outcome->passes; i++) {
        to->length[i] = outcome->pass[i].length;
        to->gain[i] = outcome->pass[i].gain;
    }
    return true;
}

/* Code a block with cleanup passes of several planes, and keep all sets that have passes. */
static void try_planes(struct j2k_encoding *encoding, struct j2k_encode_worker *worker, uint32_t index,
    struct j2k_block_settings *settings, double error)
{
    const struct j2k_block_functions *coder = kst_j2k_cpu_block_functions(kst_j2k_block_coder(settings->style)->kind);
    const uint32_t end = settings->plane + encoding->request->candidates;
    struct j2k_candidate set[J2K_CODED_PLANES];
    struct j2k_block_outcome outcome = {.passes = 1};
    uint32_t count = 0, planes = 0;
    for (; settings->plane < end && outcome.passes > 0; settings->plane++) {
        coder->encode(&worker->scratch, encoding->tier, settings, &outcome);
        settings->coded = NULL; /* the set of the lowest plane is the one that is most likely chosen */
        planes = outcome.planes;
        if (outcome.passes > 0 && !keep_candidate(encoding, worker, &outcome, &set[count++]))
            return;
    }
    struct j2k_candidate *kept = kst_j2k_encode_keep(encoding, &worker->chunk, count * sizeof *kept);
    if (!kept)
        return;
    memcpy(kept, set, count * sizeof *kept);
    encoding->encoded->candidates[index] = (struct j2k_candidates){kept, count};
    encoding->result[index] = (struct j2k_block_result){.planes = (uint8_t)planes, .top = 1, .error = error};
    encoding->coded->block[index].passes = 0;
    kst_j2k_encode_count(encoding, 1);
}

/* Measure what the planes of a sampled block would gain. */
static void measure(struct j2k_encoding *encoding, struct j2k_encode_worker *worker, uint32_t index,
    const struct j2k_block_settings *settings, double error)
{
    struct j2k_gains gains[J2K_CODED_PLANES];
    uint32_t planes = kst_j2k_cpu_block_functions(kst_j2k_block_coder(settings->style)->kind)
                          ->measure(&worker->scratch, encoding->tier, settings, gains);
    struct j2k_gains *kept = kst_j2k_encode_keep(encoding, &worker->chunk, planes * sizeof *kept);
    if (kept)
        memcpy(kept, gains, planes * sizeof *kept);
    encoding->result[index] = (struct j2k_block_result){.planes = (uint8_t)planes, .error = error, .plane = kept};
}

/* Return what a bit is worth, in squares of a band's step. */
static double worth_in(const struct j2k_encoding *encoding, uint32_t band)
{
    const double step = encoding->coded->plan.band[band].step;
    return encoding->request->worth / (encoding->request->weight[band] * step * step);
}

/* Return whether a real coefficient of this magnitude has index 0. */
static bool is_nothing(const struct j2k_band *band, float largest)
{
    const float factor = 1.0F / band->step;
    return largest * factor < 1;
}

/*
 * Return whether a block with real coefficients, none of which is larger than `largest`, has only indices of 0, so that
 * it need not be coded.
 */
static bool leaves_nothing(const struct j2k_encode_set *set, const struct j2k_block_settings *settings,
    const struct j2k_band *band, float largest)
{
    return !settings->exact && settings->worth <= 0 && set->choice == J2K_ALL_BLOCKS &&
           set->tile->encoding->request->candidates == 0 && is_nothing(band, largest);
}

/* Return the number of planes of a coefficient. */
static uint32_t planes_of(const struct j2k_band *band, float largest)
{
    const float factor = 1.0F / band->step;
    const uint32_t magnitude = (uint32_t)(int32_t)(largest * factor) & 0x7FFFFFFF;
    return magnitude > 0 ? 32 - (uint32_t)__builtin_clz(magnitude) : 0;
}

/* Store the result of a block without significant samples. */
static void store_nothing(struct j2k_encoding *encoding, uint32_t index, double error)
{
    if (encoding->request->count)
        encoding->encoded->counted[index] = 0;
    encoding->result[index] = (struct j2k_block_result){.error = error};
    encoding->coded->block[index].data = NULL;
    encoding->coded->block[index].passes = 0;
    kst_j2k_encode_count(encoding, 1);
}

static struct j2k_block_settings settings_of(const struct j2k_encode_set *set, const struct j2k_block *block)
{
    const struct j2k_encoding *encoding = set->tile->encoding;
    const struct j2k_plan *plan = &encoding->coded->plan;
    const struct j2k_band *band = &plan->band[block->band];
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    return (struct j2k_block_settings){.width = block->width,
        .height = block->height,
        .orientation = band->orientation,
        .style = tc->style,
        .plane = encoding->request->plane,
        .refinements = encoding->request->refinements,
        .worth = tc->reversible ? 0 : worth_in(encoding, block->band),
        .exact = tc->reversible,
        .measure = encoding->request->measure,
        .sum = encoding->request->error > 0,
        .stop = kst_j2k_block_stop(set->tile, block->band)};
}

/* Code or measure the block that is loaded. */
static void code(const struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t index,
    struct j2k_block_settings *settings, double error)
{
    struct j2k_encoding *encoding = set->tile->encoding;
    struct j2k_block_outcome outcome;
    if (set->choice == J2K_SAMPLE_BLOCKS) {
        measure(encoding, worker, index, settings, error);
        return;
    }
    if (encoding->request->candidates > 0) {
        try_planes(encoding, worker, index, settings, error);
        return;
    }
    kst_j2k_cpu_block_functions(kst_j2k_block_coder(settings->style)->kind)
        ->encode(&worker->scratch, encoding->tier, settings, &outcome);
    store(encoding, worker, index, &outcome, error);
    kst_j2k_encode_count(encoding, 1);
}

/* Describe the real coefficients of the block at a place of set->order; all their rows are resident. */
static struct j2k_ht_reals reals_of(const struct j2k_encode_set *set, uint32_t place)
{
    const struct j2k_block *block = &set->tile->plan->block[set->order[place]];
    const struct j2k_band *band = &set->tile->plan->band[block->band];
    const struct j2k_encode_resident *resident = resident_of(set, block);
    return (struct j2k_ht_reals){
        .first = (const float *)(const void *)((const uint8_t *)j2k_encode_resident_row(resident, block->y) +
                                               place_of(set, block)),
        .pitch = resident->pitch,
        .width = block->width,
        .height = block->height,
        .factor = 1.0F / band->step,
        .bound = set->bound ? set->bound + (size_t)place * set->bounds : NULL,
        .known = set->made && set->bound};
}

/* Find the block that is counted after the one at a place, once all largest magnitudes are known. */
static void find_next(const struct j2k_encode_set *set, uint32_t place, struct j2k_ht_reals *reals)
{
    const uint32_t end = set->order_end[set->step_count * set->lanes.count - 1];
    const struct j2k_plan *plan = set->tile->plan;
    for (uint32_t next = place + 1; set->made && next < end; next++) {
        const struct j2k_block *block = &plan->block[set->order[next]];
        if (is_nothing(&plan->band[block->band], set->largest[next]))
            continue;
        const struct j2k_ht_reals there = reals_of(set, next);
        if (there.height < reals->height || there.width != reals->width)
            return;
        reals->next = there.first;
        reals->next_pitch = there.pitch;
        reals->next_bound = there.bound;
        reals->next_least = j2k_ht_least_bound(there.factor);
        return;
    }
}

/* Count a block's bits from real coefficients. Returns false if that is not possible. */
static bool count_reals(
    const struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t place, uint32_t *bits, float *largest)
{
    const struct j2k_plan *plan = set->tile->plan;
    const struct j2k_band *band = &plan->band[plan->block[set->order[place]].band];
    if (component_of(set, band)->tc->reversible || !set->keeps)
        return false;
    struct j2k_ht_reals reals = reals_of(set, place);
    find_next(set, place, &reals);
    return kst_j2k_cpu_ht.count_reals(&worker->scratch, set->tile->encoding->tier, &reals, largest, bits);
}

/* Count the bits of the block at a place of set->order, which may have indices other than 0. */
static void count_one(const struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t place,
    const struct j2k_block_settings *settings)
{
    struct j2k_encoding *encoding = set->tile->encoding;
    const uint32_t index = set->order[place];
    uint32_t bits;
    float largest = set->keeps && set->made ? set->largest[place] : 0;
    if (!count_reals(set, worker, place, &bits, &largest)) {
        load(set, worker->scratch.sample, index, NULL, &largest);
        bits = kst_j2k_cpu_ht.count(&worker->scratch, encoding->tier, settings);
    }
    if (set->keeps && !set->made) /* as in encode_alone() */
        set->largest[place] = largest;
    encoding->encoded->counted[j2k_encode_block(set->tile, index)] = bits;
    kst_j2k_encode_count(encoding, 1);
}

/*
 * Prefetch into the second-level cache the block that is coded after the one at a place. All kept coefficients together
 * are usually larger than the processor's cache, so this takes about as long as coding a block.
 */
static void fetch_next(const struct j2k_encode_set *set, uint32_t place)
{
    const uint32_t end = set->order_end[set->step_count * set->lanes.count - 1];
    const struct j2k_plan *plan = set->tile->plan;
    uint32_t next = place + 1;
    while (next < end && is_nothing(&plan->band[plan->block[set->order[next]].band], set->largest[next]))
        next++;
    if (next >= end)
        return;
    const struct j2k_block *block = &plan->block[set->order[next]];
    fetch_rows(resident_of(set, block), block, place_of(set, block), false);
}

static void encode_alone(const struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t place)
{
    struct j2k_encoding *encoding = set->tile->encoding;
    const struct j2k_plan *plan = &encoding->coded->plan;
    const uint32_t index = set->order[place], whole = j2k_encode_block(set->tile, index);
    const struct j2k_block *block = &plan->block[whole];
    const struct j2k_band *band = &plan->band[block->band];
    struct j2k_block_settings settings = settings_of(set, block);
    float largest = 0;
    /* The quantiser's error is needed only for a target in decibels. */
    if (set->made && encoding->request->error <= 0 && leaves_nothing(set, &settings, band, set->largest[place])) {
        store_nothing(encoding, whole, 0);
        return;
    }
    if (encoding->request->count) {
        count_one(set, worker, place, &settings);
        return;
    }
    const double error = load(set, worker->scratch.sample, index, NULL, &largest);
    if (set->made && !settings.exact)
        fetch_next(set, place);
    if (set->keeps && !set->made) /* once coefficients are kept, other threads read these numbers */
        set->largest[place] = largest;
    if (leaves_nothing(set, &settings, band, largest)) {
        store_nothing(encoding, whole, error);
        return;
    }
    if (!settings.exact && plan->tile_component[band->tile_component].roi_shift == 0)
        settings.planes = planes_of(band, largest);
    code(set, worker, whole, &settings, error);
}

/* Code a block of a component that feeds another one, or is fed. */
static void code_feeding(const struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t index,
    const float *fed, uint32_t *coded)
{
    const struct j2k_plan *plan = &set->tile->encoding->coded->plan;
    const uint32_t whole = j2k_encode_block(set->tile, index);
    const struct j2k_block *block = &plan->block[whole];
    struct j2k_block_settings settings = settings_of(set, block);
    float largest;
    const double error = load(set, worker->scratch.sample, index, fed, &largest);
    settings.coded = coded;
    settings.planes = planes_of(&plan->band[block->band], largest);
    code(set, worker, whole, &settings, error);
}

/* Feed to Y the error of a block of another component, whose samples worker->coded holds. */
static void feed(const struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t index, float share)
{
    const struct j2k_block *block = &set->tile->plan->block[index];
    const struct j2k_encode_resident *resident = resident_of(set, block);
    const uint32_t plane = set->tile->encoding->request->plane;
    const float step = ldexpf(set->tile->plan->band[block->band].step, (int)plane);
    const size_t place = place_of(set, block);
    for (uint32_t y = 0, i = 0; y < block->height; y++) {
        const uint8_t *row = j2k_encode_resident_row(resident, block->y + y);
        const float *from = (const float *)(const void *)(row + place);
        for (uint32_t x = 0; x < block->width; x++, i++) {
            const uint32_t magnitude = (worker->coded[i] & 0x7FFFFFFF) >> plane;
            const float decoded = magnitude > 0 ? ((float)magnitude + 0.5F) * step : 0;
            worker->fed[i] += share * (from[x] - (worker->coded[i] >> 31 ? -decoded : decoded));
        }
    }
}

/* Return the block of a component of the set at the place of a block of the first one. */
static uint32_t block_of(const struct j2k_encode_set *set, uint32_t index, uint32_t component)
{
    const struct j2k_plan *plan = set->tile->plan;
    const uint32_t band = plan->block[index].band;
    const uint32_t other =
        band - set->component->resolution->first_band + set->component[component].resolution->first_band;
    return plan->band[other].first_block + index - plan->band[band].first_block;
}

/*
 * Code a block of Y, and before it those of Cr and Cb, whose errors Y makes up for as far as it can: the columns of the
 * inverse component transform are not orthogonal.
 */
static void code_three(const struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t index)
{
    const struct j2k_block *block = &set->tile->plan->block[index];
    memset(worker->fed, 0, sizeof *worker->fed * block->width * block->height);
    for (uint32_t i = 2; i > 0; i--) {
        const uint32_t other = block_of(set, index, i);
        code_feeding(set, worker, other, NULL, worker->coded);
        feed(set, worker, other, (float)kst_j2k_fed_share(i));
    }
    code_feeding(set, worker, index, worker->fed, NULL);
}

static bool feeds(const struct j2k_encode_set *set)
{
    return set->tile->encoding->request->feeds && set->count == J2K_ANALYSED_TOGETHER &&
           set->tile->part->transform == J2K_TRANSFORM_ICT;
}

static bool is_of_first(const struct j2k_encode_set *set, uint32_t index)
{
    const struct j2k_plan *plan = set->tile->plan;
    return component_of(set, &plan->band[plan->block[index].band]) == set->component;
}

void kst_j2k_cpu_encode_one(const struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t place)
{
    if (!feeds(set))
        encode_alone(set, worker, place);
    else if (is_of_first(set, set->order[place]))
        code_three(set, worker, set->order[place]);
}
