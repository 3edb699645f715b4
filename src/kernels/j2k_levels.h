/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inverse wavelet transforms (T.800 Annex F), a level of all tile-components in a launch. A work-group makes a tile
 * of a level in both directions, from the tile's coefficients and those up to four positions around it; what lies
 * outside of the level is its mirror image. Along rows a work-item has a pair of coefficients of every eighth row,
 * along columns eight samples of one. All operations are those of the processor's code.
 */
#include "j2k_lines.h"
#include "j2k_store.h"

/* A work-item's two coefficients of a row, the even one first. */
FUNCTION u32x2 load_pair(const struct level_tile *t, GLOBAL const u32 *samples, u32 row, i32 even, i32 odd)
{
    GLOBAL const struct work_level *level = t->level;
    i32 y = mirror(t->y + (i32)row, (i32)level->y0, (i32)level->y1);
    u32 down = place_in_band(t, even), right = place_in_band(t, odd), first = 2 * (u32)(y & 1);
    u32 line = (u32)y / 2 - (y & 1 ? 0 : level->y0), low = first + (u32)(even & 1), high = first + (u32)(odd & 1);
    return make_u32x2(samples[level->band[low] + line * level->pitch[low] + down],
        samples[level->band[high] + line * level->pitch[high] + right]);
}

/* x − floor((a + b + 2) / 4), wrapping, and x + floor((a + b) / 2). */
FUNCTION i32 lift_even(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x - (u32)((i32)((u32)a + (u32)b + 2) >> 2));
}

FUNCTION i32 lift_odd(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x + (u32)((i32)((u32)a + (u32)b) >> 1));
}

/* x − factor × (a + b) */
FUNCTION float lift(float x, float factor, float a, float b)
{
    return x - factor * (a + b);
}

/* Whether a work-item's row is one that the level has, of a column that it has; where it goes. */
FUNCTION u32 level_target(const struct level_tile *t, u32 column, u32 row, u32 *to)
{
    i32 x = t->x + (i32)column - (i32)t->level->x0, y = t->y + (i32)row - (i32)t->level->y0;
    *to = t->level->to + (u32)y * t->level->to_pitch + (u32)x;
    return column >= LEVEL_MARGIN && column < LEVEL_MARGIN + J2K_LEVEL_WIDTH && x >= 0 && y >= 0 &&
           (u32)x < t->level->x1 - t->level->x0 && (u32)y < t->level->y1 - t->level->y0;
}

/* A single odd column or row is halved (F.3.6). */
KERNEL(J2K_LEVEL_GROUP)
synthesise_53(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, u32 list, u32 count, u32 first_level)
{
    SHARED i32 tile[LEVEL_ROWS * LEVEL_ROW];
    struct level_tile t = find_tile(work, list, count, first_level);
    u32 pair = local_index() % LEVEL_PAIRS, place = own_place(), column = own_column(), run = own_run();
    u32 halve_x = t.only_x && t.level->x0 == 1, halve_y = t.only_y && t.level->y0 == 1;
    i32 even_x = mirror(t.x + 2 * (i32)pair, (i32)t.level->x0, (i32)t.level->x1);
    i32 odd_x = mirror(t.x + 2 * (i32)pair + 1, (i32)t.level->x0, (i32)t.level->x1);
    i32 even[LEVEL_TURNS], odd[LEVEL_TURNS], value[LEVEL_REACH];
    UNROLL for (u32 k = 0; k < LEVEL_TURNS; k++)
    {
        u32 row = local_index() / LEVEL_PAIRS + k * LEVEL_STEP;
        u32x2 two = load_pair(&t, samples, row, even_x, odd_x);
        even[k] = (i32)two.x >> halve_x;
        odd[k] = (i32)two.y >> halve_x;
        tile[place + k * LEVEL_STEP * LEVEL_ROW] = even[k];
        tile[place + k * LEVEL_STEP * LEVEL_ROW + LEVEL_ODD] = odd[k];
    }
    barrier_local();
    if (!t.only_x) {
        LIFT_EVEN_PLACES(i32, LEVEL_TURNS, even, odd, tile, lift_even(own, far, near))
        LIFT_ODD_PLACES(i32, LEVEL_TURNS, even, odd, tile, lift_odd(own, near, far))
    }
    UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] = tile[column_place(column, run + i)];
    if (!t.only_y) {
        LIFT_COLUMN(value, 2, LEVEL_REACH, lift_even(value[i], value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 3, LEVEL_REACH - 1, lift_odd(value[i], value[i - 1], value[i + 1]))
    }
    UNROLL for (u32 i = LEVEL_MARGIN; i < LEVEL_MARGIN + LEVEL_RUN; i++)
    {
        u32 to;
        if (level_target(&t, column, run + i, &to))
            samples[to] = (u32)(value[i] >> halve_y);
    }
}

KERNEL(J2K_LEVEL_GROUP)
synthesise_97(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, u32 list, u32 count, u32 first_level)
{
    SHARED float tile[LEVEL_ROWS * LEVEL_ROW];
    struct level_tile t = find_tile(work, list, count, first_level);
    u32 pair = local_index() % LEVEL_PAIRS, place = own_place(), column = own_column(), run = own_run();
    float only_factor = t.level->x0 == 1 ? 0.5f : 1.0f, last_factor = t.only_y && t.level->y0 == 1 ? 0.5f : 1.0f;
    float low = t.only_x ? only_factor : LEVEL_SCALE, high = t.only_x ? only_factor : LEVEL_INVERSE_SCALE;
    i32 even_x = mirror(t.x + 2 * (i32)pair, (i32)t.level->x0, (i32)t.level->x1);
    i32 odd_x = mirror(t.x + 2 * (i32)pair + 1, (i32)t.level->x0, (i32)t.level->x1);
    float even[LEVEL_TURNS], odd[LEVEL_TURNS], value[LEVEL_REACH];
    UNROLL for (u32 k = 0; k < LEVEL_TURNS; k++)
    {
        u32 row = local_index() / LEVEL_PAIRS + k * LEVEL_STEP;
        u32x2 two = load_pair(&t, samples, row, even_x, odd_x);
        even[k] = low * as_real(two.x);
        odd[k] = high * as_real(two.y);
        tile[place + k * LEVEL_STEP * LEVEL_ROW] = even[k];
        tile[place + k * LEVEL_STEP * LEVEL_ROW + LEVEL_ODD] = odd[k];
    }
    barrier_local();
    if (!t.only_x) {
        LIFT_EVEN_PLACES(float, LEVEL_TURNS, even, odd, tile, lift(own, LIFT_DELTA, far, near))
        LIFT_ODD_PLACES(float, LEVEL_TURNS, even, odd, tile, lift(own, LIFT_GAMMA, near, far))
        LIFT_EVEN_PLACES(float, LEVEL_TURNS, even, odd, tile, lift(own, LIFT_BETA, far, near))
        LIFT_ODD_PLACES(float, LEVEL_TURNS, even, odd, tile, lift(own, LIFT_ALPHA, near, far))
    }
    UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] = tile[column_place(column, run + i)];
    if (!t.only_y) {
        UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] = (i & 1 ? LEVEL_INVERSE_SCALE : LEVEL_SCALE) * value[i];
        LIFT_COLUMN(value, 2, LEVEL_REACH, lift(value[i], LIFT_DELTA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 3, LEVEL_REACH - 2, lift(value[i], LIFT_GAMMA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 4, LEVEL_REACH - 3, lift(value[i], LIFT_BETA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 5, LEVEL_REACH - 4, lift(value[i], LIFT_ALPHA, value[i - 1], value[i + 1]))
    }
    UNROLL for (u32 i = LEVEL_MARGIN; i < LEVEL_MARGIN + LEVEL_RUN; i++)
    {
        u32 to;
        if (level_target(&t, column, run + i, &to))
            samples[to] = real_bits(value[i] * last_factor);
    }
}
