/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carries out a multiple component transform of any stages: wavelets, arrays, and components in another order. A stage
 * makes its components in rows of their own, because it may take a component more than once.
 */
#include <stdatomic.h>
#include <string.h>

#include "core/report.h"
#include "j2k/cpu/z.h"

enum { SETS = 3 /* of rows: the components before a stage, those behind it, and a collection's inputs */ };
enum { ROWS_IN_CACHE = 1 << 18 /* bytes that a set of rows takes at most, unless there are too many rows */ };
enum { LEAST_WIDTH = 16 };

/* Holds the state that all tasks share. */
struct multi_run {
    const struct j2k_multi_work *work;
    struct j2k_inverse inverse;
    struct memory *memory;
    struct progress *progress;
    uint32_t most;  /* components that there are at most, before and behind any stage */
    uint32_t width; /* of a piece */
    atomic_int status;
};

/* Holds rows of all components, and which of them are in single precision. */
struct multi_rows {
    void **row;
    bool *is_real;
};

/* Describes a piece of a row, in all components. */
struct multi_piece {
    struct multi_run *run;
    struct multi_rows before, made; /* before a stage and behind it */
    void **taken, *spare[2];        /* a collection's rows, and two lists for it */
    uint32_t *set[SETS];            /* rows, one behind the other */
    uint32_t turn;                  /* the set that the next stage fills: 0 or 1 */
    uint32_t filled;                /* rows that the stage has filled */
    uint32_t width;
};

static void fail(struct multi_run *run, kst_status status)
{
    int none = KST_OK;
    atomic_compare_exchange_strong(&run->status, &none, (int)status);
}

/* Put the rows of a level in order of their positions: low rows, and high ones from the collection's inputs. */
static void interleave(const struct j2k_z_layout *layout, uint32_t n, void *const *low, void *const *input, void **made)
{
    const struct j2k_z_range range = layout->range[n];
    for (uint32_t i = range.start; i < range.end; i++)
        made[i - range.start] = i % 2 == 0 ? *low++ : input[kst_j2k_z_component(layout, n + 1, 1, i / 2)];
}

/* Undo a wavelet. `input` has the rows of the inputs, and receives those of the outputs. */
static void undo_wavelet(const struct multi_piece *piece, const struct j2k_multi_collection *collection, void **input)
{
    struct j2k_z_layout layout;
    void **made = piece->spare[0], **low = piece->spare[1];
    kst_j2k_z_layout(collection, &layout);
    memcpy(low, input, collection->count * sizeof *low);
    for (uint32_t n = collection->levels; n-- > 0;) {
        interleave(&layout, n, low, input, made);
        kst_j2k_cpu_z_level(&piece->run->inverse, made, layout.range[n], piece->width, collection->reversible);
        memcpy(low, made, (layout.range[n].end - layout.range[n].start) * sizeof *low);
    }
    memcpy(input, low, collection->count * sizeof *input);
}

/* Copy a row of integers or of numbers in single precision, of which the latter are never made integers. */
static void *copy_row(
    const struct multi_piece *piece, const struct multi_rows *from, uint32_t component, bool real, uint32_t *to)
{
    const int32_t *integer = from->row[component];
    float *number = (float *)(void *)to;
    if (real == from->is_real[component])
        memcpy(to, integer, piece->width * sizeof *to);
    else
        for (uint32_t x = 0; x < piece->width; x++)
            number[x] = (float)integer[x];
    return to;
}

/* Return the next row of a set. */
static uint32_t *row_of(const struct multi_piece *piece, uint32_t set, uint32_t row)
{
    return piece->set[set] + (size_t)row * piece->run->width;
}

static void transform(struct multi_piece *piece, const struct j2k_multi_collection *collection, void **row)
{
    const struct j2k_multi *multi = piece->run->work->multi;
    const struct j2k_multi_rows rows = {.value = collection->array < 0 ? NULL : multi->array[collection->array].value,
        .offset = collection->offsets < 0 ? NULL : multi->array[collection->offsets].value,
        .taken = collection->count,
        .made = collection->made,
        .width = piece->width,
        .in = piece->taken,
        .to = row};
    if (collection->kind == J2K_MULTI_WAVELET)
        undo_wavelet(piece, collection, row);
    else if (collection->array < 0)
        return;
    else if (collection->kind == J2K_MULTI_DECORRELATION && !collection->reversible)
        kst_j2k_cpu_multi_multiply(&rows);
    else if (collection->kind == J2K_MULTI_DECORRELATION)
        kst_j2k_cpu_multi_undo_steps(&rows);
    else if (collection->reversible)
        kst_j2k_cpu_multi_predict_integers(&rows);
    else
        kst_j2k_cpu_multi_predict_reals(&rows);
}

/* Return whether a collection has an output for each row of a matrix; otherwise outputs take the inputs' places. */
static bool multiplies(const struct j2k_multi_collection *collection)
{
    return collection->kind == J2K_MULTI_DECORRELATION && collection->array >= 0 && !collection->reversible;
}

/* Collect the inputs of a collection in rows that it may change, or that it only reads. */
static void take_inputs(struct multi_piece *piece, const struct j2k_multi_collection *collection)
{
    const uint32_t *input = piece->run->work->multi->index + collection->input;
    const struct multi_rows *before = &piece->before;
    for (uint32_t i = 0; i < collection->count; i++) {
        const bool real = kst_j2k_multi_makes_reals(collection, before->is_real[input[i]]);
        if (!multiplies(collection))
            piece->taken[i] = copy_row(piece, before, input[i], real, row_of(piece, piece->turn, piece->filled + i));
        else if (before->is_real[input[i]])
            piece->taken[i] = before->row[input[i]];
        else
            piece->taken[i] = copy_row(piece, before, input[i], real, row_of(piece, SETS - 1, i));
    }
}

/* Note the outputs of a collection, and add the offsets that the transform has not added itself. */
static void put_outputs(struct multi_piece *piece, const struct j2k_multi_collection *collection, void **row)
{
    const struct j2k_multi *multi = piece->run->work->multi;
    const uint32_t *input = multi->index + collection->input, *output = multi->index + collection->output;
    const bool added = collection->kind == J2K_MULTI_DEPENDENCY && collection->array >= 0;
    for (uint32_t i = 0; i < collection->made; i++) {
        const bool from = i < collection->count && piece->before.is_real[input[i]];
        const bool real = kst_j2k_multi_makes_reals(collection, from);
        if (collection->offsets >= 0 && !added)
            kst_j2k_cpu_z_add(row[i], piece->width, multi->array[collection->offsets].value[i], !real);
        piece->made.row[output[i]] = row[i];
        piece->made.is_real[output[i]] = real;
    }
}

static void carry_out(struct multi_piece *piece, const struct j2k_multi_collection *collection)
{
    void **row = multiplies(collection) ? piece->spare[0] : piece->taken;
    take_inputs(piece, collection);
    for (uint32_t i = 0; i < collection->made && multiplies(collection); i++)
        row[i] = row_of(piece, piece->turn, piece->filled + i);
    piece->filled += collection->made;
    transform(piece, collection, row);
    put_outputs(piece, collection, row);
}

static void run_stages(struct multi_piece *piece)
{
    const struct j2k_multi *multi = piece->run->work->multi;
    for (uint32_t s = 0; s < multi->stage_count; s++) {
        const struct j2k_multi_stage *stage = &multi->stage[s];
        const struct multi_rows before = piece->before;
        piece->filled = 0;
        for (uint32_t c = 0; c < stage->collection_count; c++)
            carry_out(piece, &multi->collection[stage->first_collection + c]);
        piece->before = piece->made;
        piece->made = before;
        piece->turn ^= 1;
    }
}

/* Finish the rows of all slices that are shown. */
static void finish_rows(const struct multi_piece *piece, uint32_t x, uint32_t y)
{
    const struct j2k_multi_work *work = piece->run->work;
    struct j2k_z_slices slices = *work->slices;
    for (uint32_t z = work->shown.start; z < work->shown.end; z++) {
        void *row = piece->before.row[z];
        const bool real = piece->before.is_real[z], as_coded = work->multi->stage_count == 0;
        if (work->sample) {
            slices.depth = work->sample[z].depth;
            slices.is_signed = work->sample[z].is_signed;
        }
        if (as_coded) /* a row of the planes */
            row = copy_row(piece, &piece->before, z, real, row_of(piece, 0, 0));
        const struct j2k_z_row from = {row, piece->width, !real};
        kst_j2k_cpu_z_finish(&piece->run->inverse, &from, &slices, as_coded ? work->shift[z] : 0,
            slices.data + (z - work->shown.start) * slices.step + y * slices.pitch + (size_t)x * slices.bytes);
    }
}

static void make_piece(struct multi_piece *piece, uint32_t x, uint32_t y)
{
    const struct j2k_multi_work *work = piece->run->work;
    const struct j2k_z_planes *planes = work->planes;
    piece->turn = 0;
    for (uint32_t i = 0; i < work->coded; i++) {
        piece->before.row[i] = planes->data + (planes->slot ? planes->slot[i] : i) * planes->step + y * planes->pitch +
                               (size_t)x * sizeof(int32_t);
        piece->before.is_real[i] = work->is_real[i];
    }
    run_stages(piece);
    finish_rows(piece, x, y);
}

static void run_row(void *argument, uint32_t y)
{
    enum { LISTS = 5 };
    struct multi_run *run = argument;
    const uint32_t width = run->work->planes->width;
    const size_t most = run->most, set = most * run->width;
    kst_status status = KST_OK;
    if (atomic_load(&run->status))
        return;
    void **list = kst_memory_array(run->memory, LISTS * most, sizeof *list, &status);
    bool *is_real = kst_memory_array(run->memory, 2 * most, sizeof *is_real, &status);
    uint32_t *rows = kst_memory_array(run->memory, SETS * set, sizeof *rows, &status);
    for (uint32_t x = 0; x < width && !status; x += run->width) {
        struct multi_piece piece = {.run = run,
            .before = {list, is_real},
            .made = {list + most, is_real + most},
            .taken = list + 2 * most,
            .spare = {list + 3 * most, list + 4 * most},
            .set = {rows, rows + set, rows + 2 * set},
            .width = width - x < run->width ? width - x : run->width};
        make_piece(&piece, x, y);
    }
    kst_memory_release(run->memory, rows);
    kst_memory_release(run->memory, is_real);
    kst_memory_release(run->memory, list);
    if (status)
        fail(run, status);
    if (!kst_progress_step(run->progress, 1))
        fail(run, KST_ERROR_CANCELLED);
}

/* Choose how many samples of a row are transformed at a time. */
static uint32_t choose_width(uint32_t most)
{
    const uint32_t fit = ROWS_IN_CACHE / (uint32_t)sizeof(int32_t) / most;
    return fit > J2K_Z_PIECE ? J2K_Z_PIECE : fit > LEAST_WIDTH ? fit : LEAST_WIDTH;
}

kst_status kst_j2k_cpu_multi_synthesise(const struct operation *op, const struct j2k_multi_work *work)
{
    struct multi_run run = {.work = work, .memory = op->memory, .progress = op->progress};
    run.most = kst_j2k_multi_most(work->multi, work->coded);
    run.width = choose_width(run.most);
    kst_j2k_cpu_inverse_init(&run.inverse, op->tier);
    atomic_init(&run.status, KST_OK);
    kst_pool_run(op->pool, work->planes->height, run_row, &run);
    const kst_status status = (kst_status)atomic_load(&run.status);
    return status ? kst_report_error(op->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}
