/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the forward wavelet transforms (T.800 F.4); a launch transforms one level of all tile-components. Columns
 * are transformed first and then rows, with the same operations in the same order as on the CPU. A work-group computes
 * the coefficients of a patch of a level from its samples and those up to four positions around it.
 */
#include "j2k/kernels/lines.h"

enum {
    ANALYSED_TURNS = J2K_LEVEL_HEIGHT / LEVEL_STEP,
    LOAD_STEP = J2K_LEVEL_GROUP / (2 * LEVEL_PAIRS), /* distance between the rows that a work-item loads */
    LOADED = LEVEL_ROWS / LOAD_STEP
};

/*
 * Perform the lifting steps of the 5/3 filter: x − floor((a + b) / 2), and in the next function x + floor((a + b + 2) /
 * 4). Sums wrap.
 */
FUNCTION i32 predict(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x - (u32)((i32)((u32)a + (u32)b) >> 1));
}

FUNCTION i32 update(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x + (u32)((i32)((u32)a + (u32)b + 2) >> 2));
}

/* Perform a lifting step of the 9/7 filter: x + factor × (a + b). */
FUNCTION float raise(float x, float factor, float a, float b)
{
    return x + factor * (a + b);
}

/* Load a work-item's samples of the patch, or their mirror images: every fourth row of its column. */
FUNCTION void load_samples(const struct level_patch *t, GLOBAL const u32 *samples, u32 *value)
{
    GLOBAL const struct j2k_work_level *level = t->level;
    i32 y0 = (i32)level->y0, y1 = (i32)level->y1, y = t->y + (i32)(local_index() / (2 * LEVEL_PAIRS));
    u32 x = (u32)mirror(t->x + (i32)own_column(), (i32)level->x0, (i32)level->x1) - level->x0, pitch = level->to_pitch;
    u32 first = level->to + x;
    if (t->y >= y0 && t->y + LEVEL_ROWS <= y1) {
        first += (u32)(y - y0) * pitch;
        UNROLL for (u32 k = 0; k < LOADED; k++) value[k] = samples[first + k * (LOAD_STEP * pitch)];
    } else {
        UNROLL for (u32 k = 0; k < LOADED; k++) value[k] =
            samples[first + (u32)(mirror(y + (i32)(k * LOAD_STEP), y0, y1) - y0) * pitch];
    }
}

/*
 * Store a work-item's coefficients in even or odd columns, from every eighth row behind the margin, to their band, if
 * they lie in the patch and in the level.
 */
FUNCTION void store_in_band(const struct level_patch *t, GLOBAL u32 *samples, u32 odd, const u32 *value)
{
    GLOBAL const struct j2k_work_level *level = t->level;
    u32 column = 2 * (local_index() % LEVEL_PAIRS) + odd;
    i32 x = t->x + (i32)column, y = t->y + LEVEL_MARGIN + (i32)(local_index() / LEVEL_PAIRS);
    u32 band = 2 * (u32)(y & 1) + odd, line = (u32)y / 2 - (y & 1 ? 0 : level->y0), pitch = level->pitch[band];
    u32 to = level->band[band] + line * pitch + place_in_band(level, x);
    if (column < LEVEL_MARGIN || column >= LEVEL_MARGIN + J2K_LEVEL_WIDTH || x < (i32)level->x0 || x >= (i32)level->x1)
        return;
    UNROLL for (u32 k = 0; k < ANALYSED_TURNS; k++)
    {
        i32 row = y + (i32)(k * LEVEL_STEP);
        if (row >= (i32)level->y0 && row < (i32)level->y1)
            samples[to + k * (LEVEL_STEP / 2 * pitch)] = value[k];
    }
}

/*
 * Transform a work-item's samples along columns and then along rows, to its coefficients in even and odd columns. A
 * single column or row at an odd position is doubled (F.4.6). The whole work-group must call this.
 */
FUNCTION void analyse_patch_53(
    const struct level_patch *t, LOCAL i32 *patch, const u32 *sample, u32 *even_columns, u32 *odd_columns)
{
    u32 pair = local_index() % LEVEL_PAIRS, column = own_column(), run = own_run();
    u32 place = own_place() + LEVEL_MARGIN * LEVEL_ROW, load = column_place(column, local_index() / (2 * LEVEL_PAIRS));
    u32 double_x = t->only_x && t->level->x0 == 1, double_y = t->only_y && t->level->y0 == 1;
    i32 even[ANALYSED_TURNS], odd[ANALYSED_TURNS], value[LEVEL_REACH];
    UNROLL for (u32 k = 0; k < LOADED; k++) patch[load + k * (LOAD_STEP * LEVEL_ROW)] = (i32)sample[k];
    barrier_local();
    UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] = patch[column_place(column, run + i)];
    barrier_local();
    if (!t->only_y) {
        LIFT_COLUMN(value, 3, LEVEL_REACH - 3, predict(value[i], value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 4, LEVEL_REACH - 4, update(value[i], value[i - 1], value[i + 1]))
    }
    UNROLL for (u32 i = LEVEL_MARGIN; i < LEVEL_MARGIN + LEVEL_RUN; i++) patch[column_place(column, run + i)] =
        (i32)((u32)value[i] << double_y);
    barrier_local();
    UNROLL for (u32 k = 0; k < ANALYSED_TURNS; k++)
    {
        even[k] = patch[place + k * LEVEL_STEP * LEVEL_ROW];
        odd[k] = patch[place + k * LEVEL_STEP * LEVEL_ROW + LEVEL_ODD];
    }
    if (!t->only_x) {
        LIFT_ODD_PLACES(i32, ANALYSED_TURNS, even, odd, patch, predict(own, near, far))
        LIFT_EVEN_PLACES(i32, ANALYSED_TURNS, even, odd, patch, update(own, far, near))
    }
    UNROLL for (u32 k = 0; k < ANALYSED_TURNS; k++)
    {
        even_columns[k] = (u32)even[k];
        odd_columns[k] = (u32)odd[k] << double_x;
    }
}

FUNCTION void analyse_patch_97(
    const struct level_patch *t, LOCAL float *patch, const u32 *sample, u32 *even_columns, u32 *odd_columns)
{
    u32 pair = local_index() % LEVEL_PAIRS, column = own_column(), run = own_run();
    u32 place = own_place() + LEVEL_MARGIN * LEVEL_ROW, load = column_place(column, local_index() / (2 * LEVEL_PAIRS));
    float only_x = t->level->x0 == 1 ? 2.0f : 1.0f, only_y = t->level->y0 == 1 ? 2.0f : 1.0f;
    float low_x = t->only_x ? only_x : J2K_DWT_INVERSE_SCALE, high_x = t->only_x ? only_x : J2K_DWT_SCALE;
    float low_y = t->only_y ? only_y : J2K_DWT_INVERSE_SCALE, high_y = t->only_y ? only_y : J2K_DWT_SCALE;
    float even[ANALYSED_TURNS], odd[ANALYSED_TURNS], value[LEVEL_REACH];
    UNROLL for (u32 k = 0; k < LOADED; k++) patch[load + k * (LOAD_STEP * LEVEL_ROW)] = float_of(sample[k]);
    barrier_local();
    UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] = patch[column_place(column, run + i)];
    barrier_local();
    if (!t->only_y) {
        LIFT_COLUMN(value, 1, LEVEL_REACH - 1, raise(value[i], J2K_DWT_ALPHA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 2, LEVEL_REACH - 2, raise(value[i], J2K_DWT_BETA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 3, LEVEL_REACH - 3, raise(value[i], J2K_DWT_GAMMA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 4, LEVEL_REACH - 4, raise(value[i], J2K_DWT_DELTA, value[i - 1], value[i + 1]))
    }
    UNROLL for (u32 i = LEVEL_MARGIN; i < LEVEL_MARGIN + LEVEL_RUN; i++) patch[column_place(column, run + i)] =
        (i & 1 ? high_y : low_y) * value[i];
    barrier_local();
    UNROLL for (u32 k = 0; k < ANALYSED_TURNS; k++)
    {
        even[k] = patch[place + k * LEVEL_STEP * LEVEL_ROW];
        odd[k] = patch[place + k * LEVEL_STEP * LEVEL_ROW + LEVEL_ODD];
    }
    if (!t->only_x) {
        LIFT_ODD_PLACES(float, ANALYSED_TURNS, even, odd, patch, raise(own, J2K_DWT_ALPHA, near, far))
        LIFT_EVEN_PLACES(float, ANALYSED_TURNS, even, odd, patch, raise(own, J2K_DWT_BETA, far, near))
        LIFT_ODD_PLACES(float, ANALYSED_TURNS, even, odd, patch, raise(own, J2K_DWT_GAMMA, near, far))
        LIFT_EVEN_PLACES(float, ANALYSED_TURNS, even, odd, patch, raise(own, J2K_DWT_DELTA, far, near))
    }
    UNROLL for (u32 k = 0; k < ANALYSED_TURNS; k++)
    {
        even_columns[k] = bits_of(low_x * even[k]);
        odd_columns[k] = bits_of(high_x * odd[k]);
    }
}

/* Define a kernel for samples of a type; `filter` names the steps of its filter. */
#define ANALYSE(name, filter, type)                                                                                    \
    KERNEL(J2K_LEVEL_GROUP)                                                                                            \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, u32 list, u32 count, u32 first_level)                   \
    {                                                                                                                  \
        SHARED type patch[LEVEL_ROWS * LEVEL_ROW];                                                                     \
        struct level_patch t = find_patch(work, list, count, first_level);                                             \
        u32 sample[LOADED], even[ANALYSED_TURNS], odd[ANALYSED_TURNS];                                                 \
        load_samples(&t, samples, sample);                                                                             \
        analyse_patch_##filter(&t, patch, sample, even, odd);                                                          \
        store_in_band(&t, samples, 0, even);                                                                           \
        store_in_band(&t, samples, 1, odd);                                                                            \
    }

ANALYSE(analyse_53, 53, i32)
ANALYSE(analyse_97, 97, float)
