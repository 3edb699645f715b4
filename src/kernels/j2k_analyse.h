/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forward wavelet transforms (T.800 F.4), a level of all tile-components in a launch: first along columns, then
 * along rows, as the processor's code has them, in the same operations. A work-group makes the coefficients of a tile
 * of a level from its samples and those up to four positions around it.
 */
#include "j2k_lines.h"

enum { ANALYSED_TURNS = J2K_LEVEL_HEIGHT / LEVEL_STEP };

/* x − floor((a + b) / 2) and x + floor((a + b + 2) / 4), wrapping. */
FUNCTION i32 predict(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x - (u32)((i32)((u32)a + (u32)b) >> 1));
}

FUNCTION i32 update(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x + (u32)((i32)((u32)a + (u32)b + 2) >> 2));
}

/* x + factor × (a + b) */
FUNCTION float raise(float x, float factor, float a, float b)
{
    return x + factor * (a + b);
}

/* The sample at a place of the tile, or its mirror image. */
FUNCTION u32 load_mirrored(const struct level_tile *t, GLOBAL const u32 *samples, u32 column, u32 row)
{
    GLOBAL const struct work_level *level = t->level;
    u32 x = (u32)mirror(t->x + (i32)column, (i32)level->x0, (i32)level->x1) - level->x0;
    u32 y = (u32)mirror(t->y + (i32)row, (i32)level->y0, (i32)level->y1) - level->y0;
    return samples[level->to + y * level->to_pitch + x];
}

/* A coefficient to its band, if the level has it and it is the tile's. */
FUNCTION void store_in_band(const struct level_tile *t, GLOBAL u32 *samples, u32 column, u32 row, u32 value)
{
    GLOBAL const struct work_level *level = t->level;
    i32 x = t->x + (i32)column, y = t->y + (i32)row;
    u32 band = 2 * (u32)(y & 1) + (u32)(x & 1);
    if (column < LEVEL_MARGIN || column >= LEVEL_MARGIN + J2K_LEVEL_WIDTH || x < (i32)level->x0 || y < (i32)level->y0 ||
        x >= (i32)level->x1 || y >= (i32)level->y1)
        return;
    u32 line = (u32)y / 2 - (y & 1 ? 0 : level->y0);
    samples[level->band[band] + line * level->pitch[band] + place_in_band(t, x)] = value;
}

KERNEL(J2K_LEVEL_GROUP)
analyse_53(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, u32 list, u32 count, u32 first_level)
{
    SHARED i32 tile[LEVEL_ROWS * LEVEL_ROW];
    struct level_tile t = find_tile(work, list, count, first_level);
    u32 pair = local_index() % LEVEL_PAIRS, column = own_column(), run = own_run();
    u32 place = own_place() + LEVEL_MARGIN * LEVEL_ROW;
    u32 double_x = t.only_x && t.level->x0 == 1, double_y = t.only_y && t.level->y0 == 1;
    i32 even[ANALYSED_TURNS], odd[ANALYSED_TURNS], value[LEVEL_REACH];
    for (u32 i = local_index(); i < LEVEL_ROWS * 2 * LEVEL_PAIRS; i += J2K_LEVEL_GROUP) {
        u32 x = i % (2 * LEVEL_PAIRS), y = i / (2 * LEVEL_PAIRS);
        tile[column_place(x, y)] = (i32)load_mirrored(&t, samples, x, y);
    }
    barrier_local();
    UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] = tile[column_place(column, run + i)];
    barrier_local();
    if (!t.only_y) {
        LIFT_COLUMN(value, 3, LEVEL_REACH - 3, predict(value[i], value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 4, LEVEL_REACH - 4, update(value[i], value[i - 1], value[i + 1]))
    }
    UNROLL for (u32 i = LEVEL_MARGIN; i < LEVEL_MARGIN + LEVEL_RUN; i++) tile[column_place(column, run + i)] =
        (i32)((u32)value[i] << double_y);
    barrier_local();
    UNROLL for (u32 k = 0; k < ANALYSED_TURNS; k++)
    {
        even[k] = tile[place + k * LEVEL_STEP * LEVEL_ROW];
        odd[k] = tile[place + k * LEVEL_STEP * LEVEL_ROW + LEVEL_ODD];
    }
    if (!t.only_x) {
        LIFT_ODD_PLACES(i32, ANALYSED_TURNS, even, odd, tile, predict(own, near, far))
        LIFT_EVEN_PLACES(i32, ANALYSED_TURNS, even, odd, tile, update(own, far, near))
    }
    UNROLL for (u32 k = 0; k < ANALYSED_TURNS; k++)
    {
        u32 row = LEVEL_MARGIN + local_index() / LEVEL_PAIRS + k * LEVEL_STEP;
        store_in_band(&t, samples, 2 * pair, row, (u32)even[k]);
        store_in_band(&t, samples, 2 * pair + 1, row, (u32)odd[k] << double_x);
    }
}

KERNEL(J2K_LEVEL_GROUP)
analyse_97(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, u32 list, u32 count, u32 first_level)
{
    SHARED float tile[LEVEL_ROWS * LEVEL_ROW];
    struct level_tile t = find_tile(work, list, count, first_level);
    u32 pair = local_index() % LEVEL_PAIRS, column = own_column(), run = own_run();
    u32 place = own_place() + LEVEL_MARGIN * LEVEL_ROW;
    float only_x = t.level->x0 == 1 ? 2.0f : 1.0f, only_y = t.level->y0 == 1 ? 2.0f : 1.0f;
    float low_x = t.only_x ? only_x : LEVEL_INVERSE_SCALE, high_x = t.only_x ? only_x : LEVEL_SCALE;
    float low_y = t.only_y ? only_y : LEVEL_INVERSE_SCALE, high_y = t.only_y ? only_y : LEVEL_SCALE;
    float even[ANALYSED_TURNS], odd[ANALYSED_TURNS], value[LEVEL_REACH];
    for (u32 i = local_index(); i < LEVEL_ROWS * 2 * LEVEL_PAIRS; i += J2K_LEVEL_GROUP) {
        u32 x = i % (2 * LEVEL_PAIRS), y = i / (2 * LEVEL_PAIRS);
        tile[column_place(x, y)] = float_of(load_mirrored(&t, samples, x, y));
    }
    barrier_local();
    UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] = tile[column_place(column, run + i)];
    barrier_local();
    if (!t.only_y) {
        LIFT_COLUMN(value, 1, LEVEL_REACH - 1, raise(value[i], LIFT_ALPHA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 2, LEVEL_REACH - 2, raise(value[i], LIFT_BETA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 3, LEVEL_REACH - 3, raise(value[i], LIFT_GAMMA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 4, LEVEL_REACH - 4, raise(value[i], LIFT_DELTA, value[i - 1], value[i + 1]))
    }
    UNROLL for (u32 i = LEVEL_MARGIN; i < LEVEL_MARGIN + LEVEL_RUN; i++) tile[column_place(column, run + i)] =
        (i & 1 ? high_y : low_y) * value[i];
    barrier_local();
    UNROLL for (u32 k = 0; k < ANALYSED_TURNS; k++)
    {
        even[k] = tile[place + k * LEVEL_STEP * LEVEL_ROW];
        odd[k] = tile[place + k * LEVEL_STEP * LEVEL_ROW + LEVEL_ODD];
    }
    if (!t.only_x) {
        LIFT_ODD_PLACES(float, ANALYSED_TURNS, even, odd, tile, raise(own, LIFT_ALPHA, near, far))
        LIFT_EVEN_PLACES(float, ANALYSED_TURNS, even, odd, tile, raise(own, LIFT_BETA, far, near))
        LIFT_ODD_PLACES(float, ANALYSED_TURNS, even, odd, tile, raise(own, LIFT_GAMMA, near, far))
        LIFT_EVEN_PLACES(float, ANALYSED_TURNS, even, odd, tile, raise(own, LIFT_DELTA, far, near))
    }
    UNROLL for (u32 k = 0; k < ANALYSED_TURNS; k++)
    {
        u32 row = LEVEL_MARGIN + local_index() / LEVEL_PAIRS + k * LEVEL_STEP;
        store_in_band(&t, samples, 2 * pair, row, bits_of(low_x * even[k]));
        store_in_band(&t, samples, 2 * pair + 1, row, bits_of(high_x * odd[k]));
    }
}
