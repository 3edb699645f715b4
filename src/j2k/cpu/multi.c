/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carries out a multiple component transform of any stages: wavelets, decorrelation by arrays, and components in
 * another order. Each stage takes and makes every component once, so the rows of a collection's inputs become those of
 * its outputs.
 */
#include <stdatomic.h>
#include <string.h>

#include "core/report.h"
#include "j2k/cpu/z.h"

/* Holds the state that all tasks share. */
struct multi_run {
    const struct j2k_multi_work *work;
    struct j2k_inverse inverse;
    struct memory *memory;
    struct progress *progress;
    uint32_t count; /* of components */
    bool has_array;
    atomic_int status;
};

/* Describes a piece of a row, in all components. */
struct multi_piece {
    struct multi_run *run;
    void **row, **made; /* of each component, before a stage and behind it */
    void **one;         /* for a collection: three lists that have a row for each component */
    float *room;        /* rows of one collection, if there are arrays */
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
    void **made = piece->one + piece->run->count, **low = made + piece->run->count;
    kst_j2k_z_layout(collection, &layout);
    memcpy(low, input, collection->count * sizeof *low);
    for (uint32_t n = collection->levels; n-- > 0;) {
        interleave(&layout, n, low, input, made);
        kst_j2k_cpu_z_level(&piece->run->inverse, made, layout.range[n], piece->width, collection->reversible);
        memcpy(low, made, (layout.range[n].end - layout.range[n].start) * sizeof *low);
    }
    memcpy(input, low, collection->count * sizeof *input);
}

/* Multiply the inputs by a matrix, in the order of its elements, each product and sum rounded to single precision. */
static void multiply(const struct multi_piece *piece, const struct j2k_multi_array *array, uint32_t count, void **row)
{
    const size_t width = piece->width;
    for (uint32_t i = 0; i < count; i++) {
        float *to = piece->room + i * width;
        memset(to, 0, width * sizeof *to);
        for (uint32_t k = 0; k < count; k++) {
            const float *from = row[k], factor = (float)array->value[(size_t)i * count + k];
            for (size_t x = 0; x < width; x++)
                to[x] += factor * from[x];
        }
    }
    for (uint32_t i = 0; i < count; i++)
        memcpy(row[i], piece->room + i * width, width * sizeof *piece->room);
}

static void carry_out(const struct multi_piece *piece, const struct j2k_multi_collection *collection)
{
    const struct j2k_multi *multi = piece->run->work->multi;
    void **row = piece->one;
    for (uint32_t i = 0; i < collection->count; i++)
        row[i] = piece->row[multi->index[collection->input + i]];
    if (collection->kind == J2K_MULTI_WAVELET)
        undo_wavelet(piece, collection, row);
    else if (collection->array >= 0)
        multiply(piece, &multi->array[collection->array], collection->count, row);
    for (uint32_t i = 0; i < collection->count; i++) {
        if (collection->offsets >= 0)
            kst_j2k_cpu_z_add(
                row[i], piece->width, multi->array[collection->offsets].value[i], piece->run->work->reversible);
        piece->made[multi->index[collection->output + i]] = row[i];
    }
}

static void run_piece(struct multi_piece *piece)
{
    const struct j2k_multi *multi = piece->run->work->multi;
    for (uint32_t s = 0; s < multi->stage_count; s++) {
        const struct j2k_multi_stage *stage = &multi->stage[s];
        for (uint32_t c = 0; c < stage->collection_count; c++)
            carry_out(piece, &multi->collection[stage->first_collection + c]);
        void **before = piece->row;
        piece->row = piece->made;
        piece->made = before;
    }
}

static void make_piece(struct multi_piece *piece, uint32_t x, uint32_t y)
{
    const struct j2k_multi_work *work = piece->run->work;
    const struct j2k_z_planes *planes = work->planes;
    const struct j2k_z_slices *slices = work->slices;
    for (uint32_t i = 0; i < piece->run->count; i++)
        piece->row[i] = planes->data + (planes->slot ? planes->slot[i] : i) * planes->step + y * planes->pitch +
                        (size_t)x * sizeof(float);
    run_piece(piece);
    for (uint32_t z = work->shown.start; z < work->shown.end; z++) {
        const struct j2k_z_row from = {piece->row[z], piece->width, work->reversible};
        kst_j2k_cpu_z_finish(&piece->run->inverse, &from, slices, 0,
            slices->data + (z - work->shown.start) * slices->step + y * slices->pitch + (size_t)x * slices->bytes);
    }
}

static void run_row(void *argument, uint32_t y)
{
    enum { LISTS = 5 };
    struct multi_run *run = argument;
    const uint32_t width = run->work->planes->width, count = run->count;
    kst_status status = KST_OK;
    if (atomic_load(&run->status))
        return;
    void **rows = kst_memory_array(run->memory, LISTS * (size_t)count, sizeof *rows, &status);
    float *room = kst_memory_array(run->memory, run->has_array ? count : 0, J2K_Z_PIECE * sizeof(float), &status);
    for (uint32_t x = 0; x < width && !status; x += J2K_Z_PIECE) {
        struct multi_piece piece = {.run = run, .row = rows, .made = rows + count, .one = rows + 2 * (size_t)count};
        piece.room = room;
        piece.width = width - x < J2K_Z_PIECE ? width - x : J2K_Z_PIECE;
        make_piece(&piece, x, y);
    }
    kst_memory_release(run->memory, room);
    kst_memory_release(run->memory, rows);
    if (status)
        fail(run, status);
    if (!kst_progress_step(run->progress, 1))
        fail(run, KST_ERROR_CANCELLED);
}

kst_status kst_j2k_cpu_multi_synthesise(const struct operation *op, const struct j2k_multi_work *work)
{
    struct multi_run run = {
        .work = work, .memory = op->memory, .progress = op->progress, .count = work->multi->sample_count};
    for (uint32_t i = 0; i < work->multi->collection_count; i++)
        run.has_array = run.has_array || work->multi->collection[i].array >= 0;
    kst_j2k_cpu_inverse_init(&run.inverse, op->tier);
    atomic_init(&run.status, KST_OK);
    kst_pool_run(op->pool, work->planes->height, run_row, &run);
    const kst_status status = (kst_status)atomic_load(&run.status);
    return status ? kst_report_error(op->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}
