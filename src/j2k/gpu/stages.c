/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes multiple component transforms as steps. The components that a stage takes are rows of a column; those that it
 * makes are rows of one of two sets, which change places from stage to stage. A wavelet changes the order of rows, not
 * their places.
 */
#include "j2k/gpu/stages.h"

#include <math.h>
#include <string.h>

#include "core/report.h"
#include "device/float_bits.h"
#include "j2k/kernels/work.h"

enum { SETS = 2 };

/* Holds the state while a program is written. */
struct writer {
    struct memory *memory;
    const struct j2k_gpu_staging *staging;
    struct j2k_gpu_program *program;
    kst_status status;
    uint32_t most;
    uint32_t *before, *made;       /* the row of each component, before a stage and behind it */
    bool *was_real, *becomes_real; /* likewise, whether it is in single precision */
    uint32_t *taken, *low, *order; /* lists for a collection */
    uint32_t next;                 /* the first row of the set that is not used yet */
};

static void put(struct writer *w, uint32_t word)
{
    struct j2k_gpu_program *p = w->program;
    if (!w->status && p->length == p->capacity) {
        const uint32_t capacity = p->capacity < UINT32_MAX / 2 ? 2 * p->capacity + 64 : UINT32_MAX;
        uint32_t *more = kst_memory_array(w->memory, capacity, sizeof *more, &w->status);
        if (!more || p->length == UINT32_MAX) {
            w->status = w->status ? w->status : KST_ERROR_LIMIT_MEMORY;
            kst_memory_release(w->memory, more);
            return;
        }
        if (p->length > 0)
            memcpy(more, p->word, p->length * sizeof *more);
        kst_memory_release(w->memory, p->word);
        p->word = more;
        p->capacity = capacity;
    }
    if (!w->status)
        p->word[p->length++] = word;
}

static void put_list(struct writer *w, const uint32_t *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(w, list[i]);
}

/* Write an offset, which is a whole number of at most 33 bits if it is added to integers. */
static void put_offset(struct writer *w, double offset, bool real)
{
    put(w, real ? gpu_float_bits((float)offset) : (uint32_t)(int64_t)offset);
}

static const double *offsets_of(const struct writer *w, const struct j2k_multi_collection *collection)
{
    return collection->offsets < 0 ? NULL : w->staging->multi->array[collection->offsets].value;
}

/* Copy the inputs of a collection to rows of the stage's set, as integers or as numbers. */
static void copy_inputs(struct writer *w, const struct j2k_multi_collection *collection)
{
    const uint32_t *input = w->staging->multi->index + collection->input;
    for (uint32_t i = 0; i < collection->count; i++) {
        const bool real = w->was_real[input[i]];
        const bool becomes = kst_j2k_multi_makes_reals(collection, real);
        put(w, becomes && !real ? J2K_STEP_CONVERT : J2K_STEP_COPY);
        put(w, 1);
        put(w, w->before[input[i]]);
        put(w, w->next);
        w->taken[i] = w->next++;
    }
}

/* Write a matrix. Its inputs stay where they are, and become numbers when they are loaded. */
static void put_matrix(struct writer *w, const struct j2k_multi_collection *collection)
{
    const struct j2k_multi *multi = w->staging->multi;
    const uint32_t *input = multi->index + collection->input;
    const struct j2k_multi_array *array = &multi->array[collection->array];
    put(w, J2K_STEP_MULTIPLY);
    put(w, collection->count);
    put(w, collection->made);
    for (uint32_t i = 0; i < collection->count; i++)
        put(w, w->before[input[i]] | (w->was_real[input[i]] ? 0 : J2K_STEP_FLAG));
    for (uint32_t i = 0; i < collection->made; i++) {
        put(w, w->next);
        w->taken[i] = w->next++;
    }
    for (uint32_t i = 0; i < array->count; i++)
        put(w, gpu_float_bits((float)array->value[i]));
}

static void put_prediction(struct writer *w, const struct j2k_multi_collection *collection)
{
    const struct j2k_multi_array *array = &w->staging->multi->array[collection->array];
    const double *offset = offsets_of(w, collection);
    const bool real = !collection->reversible;
    put(w, real ? J2K_STEP_PREDICT_REALS : J2K_STEP_PREDICT_INTEGERS);
    put(w, collection->made);
    put_list(w, w->taken, collection->made);
    for (uint32_t i = 0; i < collection->made; i++)
        put_offset(w, offset ? offset[i] : 0, real);
    for (uint32_t row = 1, at = 0; row < collection->made; row++) {
        for (uint32_t k = 0; k < row; k++, at++)
            put(w, real ? gpu_float_bits((float)array->value[at]) : (uint32_t)(int32_t)array->value[at]);
        if (!real)
            put(w, (uint32_t)__builtin_ctz((uint32_t)array->value[at++]));
    }
}

/* Write the steps of a reversible decorrelation. */
static void put_undo(struct writer *w, const struct j2k_multi_collection *collection)
{
    const struct j2k_multi_array *array = &w->staging->multi->array[collection->array];
    const uint32_t n = collection->made;
    put(w, J2K_STEP_UNDO);
    put(w, n);
    put_list(w, w->taken, n);
    for (uint32_t i = 0; i < array->count; i++) {
        const int32_t value = (int32_t)array->value[i];
        const bool divides = i % n == j2k_multi_step_target(i / n, n);
        put(w, divides ? (uint32_t)__builtin_ctz((uint32_t)value) : (uint32_t)value);
    }
}

/* Write the levels of a wavelet, whose rows are then in the order of their positions. */
static void put_wavelet(struct writer *w, const struct j2k_multi_collection *collection)
{
    struct j2k_z_layout layout;
    kst_j2k_z_layout(collection, &layout);
    memcpy(w->low, w->taken, collection->count * sizeof *w->low);
    for (uint32_t n = collection->levels; n-- > 0;) {
        const struct j2k_z_range range = layout.range[n];
        const uint32_t count = range.end - range.start, *low = w->low;
        for (uint32_t i = range.start; i < range.end; i++)
            w->order[i - range.start] = i % 2 == 0 ? *low++ : w->taken[kst_j2k_z_component(&layout, n + 1, 1, i / 2)];
        memcpy(w->low, w->order, count * sizeof *w->low);
        if (count == 0 || (count == 1 && range.start % 2 == 0))
            continue;
        put(w, collection->reversible ? J2K_STEP_LEVEL_53 : J2K_STEP_LEVEL_97);
        put(w, count);
        put(w, range.start % 2);
        put_list(w, w->order, count);
    }
    memcpy(w->taken, w->low, collection->count * sizeof *w->taken);
}

static void put_collection(struct writer *w, const struct j2k_multi_collection *collection)
{
    const struct j2k_multi *multi = w->staging->multi;
    const uint32_t *input = multi->index + collection->input, *output = multi->index + collection->output;
    const double *offset = offsets_of(w, collection);
    const bool has_array = collection->kind != J2K_MULTI_WAVELET && collection->array >= 0;
    const bool decorrelates = has_array && collection->kind == J2K_MULTI_DECORRELATION;
    if (decorrelates && !collection->reversible)
        put_matrix(w, collection);
    else
        copy_inputs(w, collection);
    if (collection->kind == J2K_MULTI_WAVELET)
        put_wavelet(w, collection);
    else if (decorrelates && collection->reversible)
        put_undo(w, collection);
    else if (has_array && !decorrelates)
        put_prediction(w, collection);
    for (uint32_t i = 0; i < collection->made; i++) {
        const bool real = kst_j2k_multi_makes_reals(collection, i < collection->count && w->was_real[input[i]]);
        w->made[output[i]] = w->taken[i];
        w->becomes_real[output[i]] = real;
        if (!offset || (has_array && !decorrelates))
            continue;
        put(w, real ? J2K_STEP_ADD_REALS : J2K_STEP_ADD_INTEGERS);
        put(w, 1);
        put(w, w->taken[i]);
        put_offset(w, offset[i], real);
    }
}

static void put_stages(struct writer *w)
{
    const struct j2k_multi *multi = w->staging->multi;
    for (uint32_t s = 0; s < multi->stage_count && !w->status; s++) {
        const struct j2k_multi_stage *stage = &multi->stage[s];
        uint32_t *taken = w->before;
        bool *was_real = w->was_real;
        w->next = w->staging->coded + s % SETS * w->most;
        for (uint32_t c = 0; c < stage->collection_count && !w->status; c++)
            put_collection(w, &multi->collection[stage->first_collection + c]);
        w->before = w->made;
        w->was_real = w->becomes_real;
        w->made = taken;
        w->becomes_real = was_real;
    }
    put(w, J2K_STEP_END);
}

/* Write the slices. What is added to a sample lacks the level shift, which finishing the sample undoes. */
static void put_slices(struct writer *w)
{
    const struct j2k_gpu_staging *staging = w->staging;
    w->program->slices = w->program->length;
    for (uint32_t z = staging->shown.start; z < staging->shown.end; z++) {
        const struct j2k_multi_sample sample = staging->sample ? staging->sample[z] : staging->common;
        const double half = sample.is_signed ? 0 : ldexp(1, sample.depth - 1);
        put(w, w->before[z] | (uint32_t)sample.depth << J2K_SLICE_DEPTH | (sample.is_signed ? J2K_SLICE_SIGNED : 0) |
                   (w->was_real[z] ? J2K_STEP_FLAG : 0));
        put_offset(w, (staging->multi->stage_count == 0 ? staging->shift[z] : 0) - half, w->was_real[z]);
    }
}

kst_status kst_j2k_gpu_make_program(
    struct memory *memory, const struct j2k_gpu_staging *staging, struct j2k_gpu_program *program)
{
    enum { LISTS = 5 };
    const size_t most = kst_j2k_multi_most(staging->multi, staging->coded);
    struct writer w = {.memory = memory, .staging = staging, .program = program, .most = (uint32_t)most};
    *program = (struct j2k_gpu_program){.rows = staging->multi->stage_count > 0 ? SETS * (uint32_t)most : 0};
    uint32_t *list = kst_memory_array(memory, LISTS * most, sizeof *list, &w.status);
    bool *is_real = kst_memory_array(memory, 2 * most, sizeof *is_real, &w.status);
    if (!w.status) {
        w.before = list;
        w.made = list + most;
        w.taken = list + 2 * most;
        w.low = list + 3 * most;
        w.order = list + 4 * most;
        w.was_real = is_real;
        w.becomes_real = is_real + most;
        for (uint32_t i = 0; i < staging->coded; i++) {
            w.before[i] = i;
            w.was_real[i] = staging->is_real[i];
        }
        put_stages(&w);
        put_slices(&w);
    }
    kst_memory_release(memory, list);
    kst_memory_release(memory, is_real);
    return w.status;
}

void kst_j2k_gpu_release_stages(struct memory *memory, struct j2k_gpu_stages *stages)
{
    for (uint32_t i = 0; i < stages->count; i++)
        kst_memory_release(memory, stages->program[i].word);
    kst_memory_release(memory, stages->program);
    kst_memory_release(memory, stages->of_tile);
    *stages = (struct j2k_gpu_stages){.count = 0};
}
