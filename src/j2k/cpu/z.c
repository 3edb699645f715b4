/* SPDX-License-Identifier: BSD-2-Clause */
/* Transforms along z: a task has a row of each slice, cut into pieces that fit in a cache all together. */
#include "j2k/cpu/z.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/report.h"
#include "j2k/cpu/dwt/dwt_rows.h"
#include "j2k/cpu/dwt/forward.h"

enum { PERIOD = 4096, APART = 1088 /* bytes */, LINE = 64 };

/* Holds the state that all tasks share. */
struct z_run {
    const struct j2k_z_work *work;
    struct j2k_inverse inverse;
    struct j2k_forward forward;
    struct memory *memory;
    struct progress *progress;
    atomic_uint most; /* of analysis: a number that has as many bits as the largest magnitude */
    atomic_int status;
};

/* Describes a piece of a row, in all slices or components. */
struct z_piece {
    struct z_run *run;
    void **row, **room; /* pointers to the rows, and to those of the next level while they are put in order */
    uint32_t x, y, width;
};

void kst_j2k_cpu_z_place(struct j2k_z_planes *planes)
{
    planes->pitch = (size_t)planes->width * sizeof(int32_t);
    planes->step = (planes->pitch * planes->height + LINE - 1) / LINE * LINE;
    planes->step += (PERIOD + APART - planes->step % PERIOD) % PERIOD;
}

static void fail(struct z_run *run, kst_status status)
{
    int none = KST_OK;
    atomic_compare_exchange_strong(&run->status, &none, (int)status);
}

static void *plane_row(const struct z_piece *piece, uint32_t component)
{
    const struct j2k_z_planes *planes = piece->run->work->planes;
    const uint32_t slot = planes->slot ? planes->slot[component] : component;
    return planes->data + slot * planes->step + piece->y * planes->pitch + (size_t)piece->x * sizeof(int32_t);
}

static uint8_t *slice_row(const struct z_piece *piece, uint32_t slice)
{
    const struct j2k_z_slices *slices = piece->run->work->slices;
    return slices->data + slice * slices->step + piece->y * slices->pitch + (size_t)piece->x * slices->bytes;
}

/* Holds the rows of a level, from position range.start on. */
struct z_level {
    void **row;
    struct j2k_z_range range;
    uint32_t width;
};

/* Return a row of the level, or of its mirror image (F.3.7). The level has at least two rows. */
static void *row_at(const struct z_level *level, int64_t position)
{
    return level->row[j2k_mirror(position, level->range.start, level->range.end) - level->range.start];
}

/* Apply a step of 5/3 to the rows of one parity. */
static void step_53(const struct z_level *level, uint32_t odd,
    void (*step)(int32_t *row, const int32_t *a, const int32_t *b, size_t width))
{
    for (int64_t i = level->range.start + ((level->range.start ^ odd) & 1); i < level->range.end; i += 2)
        step(row_at(level, i), row_at(level, i - 1), row_at(level, i + 1), level->width);
}

static void step_97(const struct z_level *level, uint32_t odd, float factor,
    void (*step)(float *row, const float *a, const float *b, float factor, size_t width))
{
    for (int64_t i = level->range.start + ((level->range.start ^ odd) & 1); i < level->range.end; i += 2)
        step(row_at(level, i), row_at(level, i - 1), row_at(level, i + 1), factor, level->width);
}

static void multiply(float *row, float factor, size_t width)
{
    for (size_t i = 0; i < width; i++)
        row[i] = factor * row[i];
}

/* Multiply the rows of even positions by one factor and the others by another one. */
static void scale(const struct z_level *level, float even, float odd)
{
    for (uint32_t i = level->range.start; i < level->range.end; i++)
        multiply(level->row[i - level->range.start], i % 2 == 0 ? even : odd, level->width);
}

/* A single row stays as it is at an even position; at an odd one it is doubled by analysis and halved by synthesis. */
static void change_single(const struct z_level *level, bool reversible, bool forward)
{
    int32_t *integer = level->row[0];
    if (level->range.start % 2 == 0)
        return;
    if (!reversible)
        multiply(level->row[0], forward ? 2.0F : 0.5F, level->width);
    for (uint32_t i = 0; reversible && i < level->width; i++)
        integer[i] = forward ? (int32_t)((uint32_t)integer[i] << 1) : integer[i] >> 1;
}

static void synthesise_level(const struct j2k_inverse *steps, const struct z_level *level, bool reversible)
{
    if (level->range.end - level->range.start < 2) {
        if (level->range.end > level->range.start)
            change_single(level, reversible, false);
        return;
    }
    if (reversible) {
        step_53(level, 0, steps->undo_update_53);
        step_53(level, 1, steps->undo_predict_53);
        return;
    }
    scale(level, J2K_DWT_SCALE, J2K_DWT_INVERSE_SCALE);
    step_97(level, 0, J2K_DWT_DELTA, steps->undo_lift_97);
    step_97(level, 1, J2K_DWT_GAMMA, steps->undo_lift_97);
    step_97(level, 0, J2K_DWT_BETA, steps->undo_lift_97);
    step_97(level, 1, J2K_DWT_ALPHA, steps->undo_lift_97);
}

static void analyse_level(const struct j2k_forward *steps, const struct z_level *level, bool reversible)
{
    if (level->range.end - level->range.start < 2) {
        if (level->range.end > level->range.start)
            change_single(level, reversible, true);
        return;
    }
    if (reversible) {
        step_53(level, 1, steps->predict_53);
        step_53(level, 0, steps->update_53);
        return;
    }
    step_97(level, 1, J2K_DWT_ALPHA, steps->lift_rows_97);
    step_97(level, 0, J2K_DWT_BETA, steps->lift_rows_97);
    step_97(level, 1, J2K_DWT_GAMMA, steps->lift_rows_97);
    step_97(level, 0, J2K_DWT_DELTA, steps->lift_rows_97);
    scale(level, J2K_DWT_INVERSE_SCALE, J2K_DWT_SCALE);
}

/* Put the low rows of a level, which piece->row holds, and its high ones in order of their positions. */
static void interleave(struct z_piece *piece, uint32_t n)
{
    const struct j2k_z_work *work = piece->run->work;
    const struct j2k_z_range range = work->need->computed[n];
    void **low = piece->row, **made = piece->room;
    for (uint32_t i = range.start; i < range.end; i++)
        made[i - range.start] =
            i % 2 == 0 ? *low++ : plane_row(piece, kst_j2k_z_component(work->layout, n + 1, 1, i / 2));
    piece->room = piece->row;
    piece->row = made;
}

void kst_j2k_cpu_z_level(
    const struct j2k_inverse *steps, void **row, struct j2k_z_range range, uint32_t width, bool reversible)
{
    const struct z_level level = {row, range, width};
    synthesise_level(steps, &level, reversible);
}

void kst_j2k_cpu_z_add(void *row, uint32_t width, double offset, bool reversible)
{
    const uint32_t whole = reversible ? (uint32_t)(int64_t)offset : 0;
    float *real = row;
    int32_t *integer = row;
    for (uint32_t i = 0; reversible && i < width; i++)
        integer[i] = (int32_t)((uint32_t)integer[i] + whole);
    for (uint32_t i = 0; !reversible && i < width; i++)
        real[i] += (float)offset;
}

/* Finishing a row undoes the level shift; the difference between the offset and that shift is added before. */
void kst_j2k_cpu_z_finish(const struct j2k_inverse *steps, const struct j2k_z_row *from,
    const struct j2k_z_slices *slices, double offset, void *to)
{
    const double half = slices->is_signed ? 0 : ldexp(1, slices->depth - 1);
    int32_t finished[J2K_Z_PIECE];
    if (offset < half || offset > half)
        kst_j2k_cpu_z_add(from->row, from->width, offset - half, from->reversible);
    if (from->reversible)
        steps->finish_integers(from->row, from->width, slices->depth, slices->is_signed, finished);
    else
        steps->finish_reals(from->row, from->width, slices->depth, slices->is_signed, finished);
    if (slices->bytes == 1)
        steps->pack_8(finished, from->width, to, 1);
    else if (slices->bytes == 2)
        steps->pack_16(finished, from->width, to, 1);
    else
        memcpy(to, finished, from->width * sizeof *finished);
}

/* Finish a row of a slice: offset, rounding and clamping. */
static void finish(const struct z_piece *piece, void *row, uint32_t slice, uint32_t shown)
{
    const struct z_run *run = piece->run;
    const struct j2k_z_row from = {row, piece->width, run->work->wavelet->reversible};
    const double offset = run->work->offset ? run->work->offset[slice] : 0;
    kst_j2k_cpu_z_finish(&run->inverse, &from, run->work->slices, offset, slice_row(piece, shown));
}

static void synthesise_piece(struct z_piece *piece)
{
    const struct j2k_z_work *work = piece->run->work;
    const struct j2k_z_need *need = work->need;
    const struct j2k_z_range lowest = need->valid[need->levels], shown = need->valid[need->reduce];
    for (uint32_t i = lowest.start; i < lowest.end; i++)
        piece->row[i - lowest.start] = plane_row(piece, kst_j2k_z_component(work->layout, need->levels, 0, i));
    for (uint32_t n = need->levels; n-- > need->reduce;) {
        interleave(piece, n);
        const struct z_level level = {piece->row, need->computed[n], piece->width};
        synthesise_level(&piece->run->inverse, &level, work->wavelet->reversible);
        const uint32_t before = need->valid[n].start - need->computed[n].start;
        memmove(piece->row, piece->row + before, (need->valid[n].end - need->valid[n].start) * sizeof *piece->row);
    }
    const uint32_t first = need->reduce == 0 ? shown.start - work->layout->range[0].start : 0;
    for (uint32_t i = 0; i < shown.end - shown.start; i++)
        finish(piece, piece->row[i], first + i, i);
}

/*
 * Return the largest magnitude of a row's coefficients, rounded down. That of a negative integer counts 1 less, as
 * two's complement holds it.
 */
static uint32_t most_of(const struct z_piece *piece, const void *row)
{
    const int32_t *integer = row;
    const float *real = row;
    uint32_t most = 0;
    float largest = 0;
    if (piece->run->work->wavelet->reversible)
        for (uint32_t i = 0; i < piece->width; i++) {
            const uint32_t magnitude = (uint32_t)(integer[i] < 0 ? ~integer[i] : integer[i]);
            most = magnitude > most ? magnitude : most;
        }
    else
        for (uint32_t i = 0; i < piece->width; i++)
            largest = fabsf(real[i]) > largest ? fabsf(real[i]) : largest;
    return most | (largest < 2147483000.0F ? (uint32_t)largest : INT32_MAX);
}

static void analyse_piece(struct z_piece *piece)
{
    struct z_run *run = piece->run;
    const struct j2k_z_work *work = run->work;
    const struct j2k_z_slices *slices = work->slices;
    const struct j2k_origin origin = {
        .stride = 1, .bytes = slices->bytes, .depth = slices->depth, .is_signed = slices->is_signed};
    const bool reversible = work->wavelet->reversible;
    uint32_t most = 0, most_before = atomic_load(&run->most);
    for (uint32_t z = 0; z < work->wavelet->count; z++)
        if (reversible)
            run->forward.load_integers(&origin, slice_row(piece, z), piece->width, piece->row[z]);
        else
            run->forward.load_reals(&origin, slice_row(piece, z), piece->width, piece->row[z]);
    for (uint32_t n = 0; n < work->wavelet->levels; n++) {
        const struct z_level level = {piece->row, work->layout->range[n], piece->width};
        analyse_level(&run->forward, &level, reversible);
        uint32_t lows = 0;
        for (uint32_t i = level.range.start; i < level.range.end; i++)
            if (i % 2 == 0)
                piece->row[lows++] = piece->row[i - level.range.start];
    }
    for (uint32_t c = 0; c < work->wavelet->count; c++)
        most |= most_of(piece, plane_row(piece, c));
    while (most > most_before && !atomic_compare_exchange_weak(&run->most, &most_before, most_before | most)) {
    }
}

/* Find in which component the row of each slice ends up, and so where it is transformed in place. */
static void aim(struct z_piece *piece)
{
    const struct j2k_z_work *work = piece->run->work;
    const struct j2k_z_range all = work->layout->range[0];
    for (uint32_t z = 0; z < work->wavelet->count; z++) {
        uint32_t position = all.start + z, n = 0;
        while (n < work->wavelet->levels && position % 2 == 0) {
            position /= 2;
            n++;
        }
        const bool low = n == work->wavelet->levels;
        piece->row[z] = plane_row(piece, low ? kst_j2k_z_component(work->layout, n, 0, position)
                                             : kst_j2k_z_component(work->layout, n + 1, 1, position / 2));
    }
}

static void run_row(struct z_run *run, uint32_t y, bool forward)
{
    const struct j2k_z_planes *planes = run->work->planes;
    const size_t count = run->work->wavelet->count;
    kst_status status = KST_OK;
    void **rows = kst_memory_array(run->memory, 2 * count, sizeof *rows, &status);
    if (!rows) {
        fail(run, status);
        return;
    }
    struct z_piece piece = {.run = run, .y = y};
    for (piece.x = 0; piece.x < planes->width; piece.x += J2K_Z_PIECE) {
        piece.row = rows;
        piece.room = rows + count;
        piece.width = planes->width - piece.x < J2K_Z_PIECE ? planes->width - piece.x : J2K_Z_PIECE;
        if (forward)
            aim(&piece);
        if (forward)
            analyse_piece(&piece);
        else
            synthesise_piece(&piece);
    }
    kst_memory_release(run->memory, rows);
    if (!kst_progress_step(run->progress, 1))
        fail(run, KST_ERROR_CANCELLED);
}

static void synthesise_row(void *argument, uint32_t y)
{
    struct z_run *run = argument;
    if (!atomic_load(&run->status))
        run_row(run, y, false);
}

static void analyse_row(void *argument, uint32_t y)
{
    struct z_run *run = argument;
    if (!atomic_load(&run->status))
        run_row(run, y, true);
}

static kst_status run_all(
    const struct operation *op, const struct j2k_z_work *work, void (*task)(void *, uint32_t), uint32_t *most)
{
    struct z_run run = {.work = work, .memory = op->memory, .progress = op->progress};
    kst_j2k_cpu_inverse_init(&run.inverse, op->tier);
    kst_j2k_cpu_forward_init(&run.forward, op->tier);
    atomic_init(&run.most, 0);
    atomic_init(&run.status, KST_OK);
    kst_pool_run(op->pool, work->planes->height, task, &run);
    *most = atomic_load(&run.most);
    const kst_status status = (kst_status)atomic_load(&run.status);
    return status ? kst_report_error(op->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

kst_status kst_j2k_cpu_z_synthesise(const struct operation *op, const struct j2k_z_work *work)
{
    uint32_t most;
    return run_all(op, work, synthesise_row, &most);
}

kst_status kst_j2k_cpu_z_analyse(const struct operation *op, const struct j2k_z_work *work, uint32_t *bits)
{
    uint32_t most;
    kst_status status = run_all(op, work, analyse_row, &most);
    *bits = 1;
    while (*bits < 32 && most >> (*bits - 1) > 0)
        (*bits)++;
    return status;
}
