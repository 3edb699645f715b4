/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inverse wavelet transforms (T.800 Annex F); a launch takes one level of all tile-components. A work-group
 * computes a patch of a level in both directions from the patch's coefficients and those up to four positions around
 * it; what lies outside of the level is mirrored. Along rows a work-item has a pair of coefficients in every eighth
 * row, along columns eight samples of one column. All operations are those of the CPU's code.
 */
#include "kernels/group.h"

#include "j2k/kernels/lines.h"
#include "j2k/kernels/store.h"

/*
 * Says where a work-item's two coefficients of a row lie: in the first or the second of the row's bands, and where in
 * it.
 */
struct level_pair {
    u32 band[2], at[2];
};

FUNCTION struct level_pair find_pair(const struct level_patch *t)
{
    struct level_pair pair;
    UNROLL for (u32 i = 0; i < 2; i++)
    {
        i32 x = t->x + 2 * (i32)(local_index() % LEVEL_PAIRS) + (i32)i;
        x = mirror(x, (i32)t->level->x0, (i32)t->level->x1);
        pair.band[i] = (u32)(x & 1);
        pair.at[i] = place_in_band(t, x);
    }
    return pair;
}

/* Return the place of a coefficient in the buffer of samples; y is a row of the level. */
FUNCTION u32 place_of(const struct level_patch *t, const struct level_pair *pair, u32 i, i32 y)
{
    GLOBAL const struct j2k_work_level *level = t->level;
    u32 band = 2 * (u32)(y & 1) + pair->band[i], line = (u32)y / 2 - (y & 1 ? 0 : level->y0);
    return level->band[band] + line * level->pitch[band] + pair->at[i];
}

/* Load a work-item's pairs of coefficients, the one at the even position first. `narrow`: they have 16 bits. */
FUNCTION void load_pairs(const struct level_patch *t, GLOBAL const u32 *samples, u32 narrow, u32 *even, u32 *odd)
{
    const struct level_pair pair = find_pair(t);
    i32 y = t->y + (i32)(local_index() / LEVEL_PAIRS), y0 = (i32)t->level->y0, y1 = (i32)t->level->y1;
    if (t->y >= y0 && t->y + LEVEL_ROWS <= y1) {
        u32 band = 2 * (u32)(y & 1), first = place_of(t, &pair, 0, y), second = place_of(t, &pair, 1, y);
        u32 low = LEVEL_STEP / 2 * t->level->pitch[band], high = LEVEL_STEP / 2 * t->level->pitch[band + 1];
        UNROLL for (u32 k = 0; k < LEVEL_TURNS; k++)
        {
            even[k] = take_sample(samples, first + k * (pair.band[0] ? high : low), narrow);
            odd[k] = take_sample(samples, second + k * (pair.band[1] ? high : low), narrow);
        }
    } else {
        UNROLL for (u32 k = 0; k < LEVEL_TURNS; k++)
        {
            i32 row = mirror(y + (i32)(k * LEVEL_STEP), y0, y1);
            even[k] = take_sample(samples, place_of(t, &pair, 0, row), narrow);
            odd[k] = take_sample(samples, place_of(t, &pair, 1, row), narrow);
        }
    }
}

/*
 * The lifting steps of the inverse 5/3 filter: x − floor((a + b + 2) / 4), and below x + floor((a + b) / 2). Sums wrap.
 */
FUNCTION i32 lift_even(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x - (u32)((i32)((u32)a + (u32)b + 2) >> 2));
}

FUNCTION i32 lift_odd(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x + (u32)((i32)((u32)a + (u32)b) >> 1));
}

/* A lifting step of the inverse 9/7 filter: x − factor × (a + b). */
FUNCTION float lift(float x, float factor, float a, float b)
{
    return x - factor * (a + b);
}

/* Return whether a work-item's sample lies in the patch and in the level; *to becomes the place where it goes. */
FUNCTION u32 level_target(const struct level_patch *t, u32 column, u32 row, u32 *to)
{
    i32 x = t->x + (i32)column - (i32)t->level->x0, y = t->y + (i32)row - (i32)t->level->y0;
    *to = t->level->to + (u32)y * t->level->to_pitch + (u32)x;
    return column >= LEVEL_MARGIN && column < LEVEL_MARGIN + J2K_LEVEL_WIDTH && x >= 0 && y >= 0 &&
           (u32)x < t->level->x1 - t->level->x0 && (u32)y < t->level->y1 - t->level->y0;
}

FUNCTION u32 bits_of_i32(i32 x)
{
    return (u32)x;
}

FUNCTION i32 i32_of(u32 x)
{
    return (i32)x;
}

FUNCTION u32 bits_of_float(float x)
{
    return bits_of(x);
}

/* Convert pairs to samples of their type. */
#define TYPED_PAIRS(type, turns, first, second, even, odd)                                                             \
    UNROLL for (u32 k = 0; k < (turns); k++)                                                                           \
    {                                                                                                                  \
        (even)[k] = type##_of((first)[k]);                                                                             \
        (odd)[k] = type##_of((second)[k]);                                                                             \
    }

/* Put a work-item's pairs into the group's memory. */
#define PUT_PAIRS(turns, even, odd, patch)                                                                             \
    UNROLL for (u32 k = 0; k < (turns); k++)                                                                           \
    {                                                                                                                  \
        (patch)[place + k * LEVEL_STEP * LEVEL_ROW] = (even)[k];                                                       \
        (patch)[place + k * LEVEL_STEP * LEVEL_ROW + LEVEL_ODD] = (odd)[k];                                            \
    }                                                                                                                  \
    barrier_local();

/*
 * Lifting steps along rows of pairs, which are in the group's memory in the end. A row has as many pairs as a warp has
 * lanes: if these can shuffle, the pairs are put there only after the last step. See LIFT_EVEN_PLACES. The whole
 * work-group must take part.
 */
#if HAS_WARPS

#define PLACES_OF_PAIRS                                                                                                \
    u32 place = own_place(), lane = lane_index(), before = lane > 0 ? lane - 1 : 0,                                    \
        behind = lane + 1 < LANES ? lane + 1 : lane;

#define LIFT_EVEN_PAIRS(type, turns, even, odd, patch, expression)                                                     \
    UNROLL for (u32 k = 0; k < (turns); k++)                                                                           \
    {                                                                                                                  \
        type own = (even)[k], near = (odd)[k], far = type##_of(warp_shuffle(bits_of_##type(near), before));            \
        (even)[k] = (expression);                                                                                      \
    }

#define LIFT_ODD_PAIRS(type, turns, even, odd, patch, expression)                                                      \
    UNROLL for (u32 k = 0; k < (turns); k++)                                                                           \
    {                                                                                                                  \
        type own = (odd)[k], near = (even)[k], far = type##_of(warp_shuffle(bits_of_##type(near), behind));            \
        (odd)[k] = (expression);                                                                                       \
    }

#define START_PAIRS(turns, even, odd, patch)
#define END_PAIRS(turns, even, odd, patch) PUT_PAIRS(turns, even, odd, patch)

#else

#define PLACES_OF_PAIRS u32 pair = local_index() % LEVEL_PAIRS, place = own_place();
#define LIFT_EVEN_PAIRS LIFT_EVEN_PLACES
#define LIFT_ODD_PAIRS LIFT_ODD_PLACES
#define START_PAIRS(turns, even, odd, patch) PUT_PAIRS(turns, even, odd, patch)
#define END_PAIRS(turns, even, odd, patch)

#endif

/* All steps along rows, starting from coefficients in registers. A single odd column or row is halved (F.3.6). */
#define SYNTHESISE_ROWS_53(t, turns, even, odd, patch)                                                                 \
    if ((t).only_x && (t).level->x0 == 1) {                                                                            \
        UNROLL for (u32 k = 0; k < (turns); k++)(odd)[k] >>= 1;                                                        \
    }                                                                                                                  \
    START_PAIRS(turns, even, odd, patch)                                                                               \
    if (!(t).only_x) {                                                                                                 \
        LIFT_EVEN_PAIRS(i32, turns, even, odd, patch, lift_even(own, far, near))                                       \
        LIFT_ODD_PAIRS(i32, turns, even, odd, patch, lift_odd(own, near, far))                                         \
    }                                                                                                                  \
    END_PAIRS(turns, even, odd, patch)

#define SYNTHESISE_ROWS_97(t, turns, even, odd, patch)                                                                 \
    UNROLL for (u32 k = 0; k < (turns); k++)                                                                           \
    {                                                                                                                  \
        float only = (t).level->x0 == 1 ? 0.5f : 1.0f;                                                                 \
        (even)[k] = ((t).only_x ? only : J2K_DWT_SCALE) * (even)[k];                                                   \
        (odd)[k] = ((t).only_x ? only : J2K_DWT_INVERSE_SCALE) * (odd)[k];                                             \
    }                                                                                                                  \
    START_PAIRS(turns, even, odd, patch)                                                                               \
    if (!(t).only_x) {                                                                                                 \
        LIFT_EVEN_PAIRS(float, turns, even, odd, patch, lift(own, J2K_DWT_DELTA, far, near))                           \
        LIFT_ODD_PAIRS(float, turns, even, odd, patch, lift(own, J2K_DWT_GAMMA, near, far))                            \
        LIFT_EVEN_PAIRS(float, turns, even, odd, patch, lift(own, J2K_DWT_BETA, far, near))                            \
        LIFT_ODD_PAIRS(float, turns, even, odd, patch, lift(own, J2K_DWT_ALPHA, near, far))                            \
    }                                                                                                                  \
    END_PAIRS(turns, even, odd, patch)

/* Compute the samples of a column, from number LEVEL_MARGIN on, from a patch in the group's memory. */
FUNCTION void synthesise_column_53(const struct level_patch *t, LOCAL const i32 *patch, i32 *value)
{
    u32 column = own_column(), run = own_run();
    UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] = patch[column_place(column, run + i)];
    if (!t->only_y) {
        LIFT_COLUMN(value, 2, LEVEL_REACH, lift_even(value[i], value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 3, LEVEL_REACH - 1, lift_odd(value[i], value[i - 1], value[i + 1]))
    } else if (t->level->y0 == 1) {
        UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] >>= 1;
    }
}

FUNCTION void synthesise_column_97(const struct level_patch *t, LOCAL const float *patch, float *value)
{
    u32 column = own_column(), run = own_run();
    float only = t->level->y0 == 1 ? 0.5f : 1.0f;
    UNROLL for (u32 i = 0; i < LEVEL_REACH; i++) value[i] = (t->only_y  ? only
                                                                : i & 1 ? J2K_DWT_INVERSE_SCALE
                                                                        : J2K_DWT_SCALE) *
                                                            patch[column_place(column, run + i)];
    if (!t->only_y) {
        LIFT_COLUMN(value, 2, LEVEL_REACH, lift(value[i], J2K_DWT_DELTA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 3, LEVEL_REACH - 2, lift(value[i], J2K_DWT_GAMMA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 4, LEVEL_REACH - 3, lift(value[i], J2K_DWT_BETA, value[i - 1], value[i + 1]))
        LIFT_COLUMN(value, 5, LEVEL_REACH - 4, lift(value[i], J2K_DWT_ALPHA, value[i - 1], value[i + 1]))
    }
}

/* A kernel for samples of a type; `filter` names the steps of its filter. `narrow`: samples have 16 bits in memory. */
#define SYNTHESISE(name, filter, type, narrow)                                                                         \
    KERNEL(J2K_LEVEL_GROUP)                                                                                            \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, u32 list, u32 count, u32 first_level)                   \
    {                                                                                                                  \
        SHARED type patch[LEVEL_ROWS * LEVEL_ROW];                                                                     \
        const struct level_patch t = find_patch(work, list, count, first_level);                                       \
        PLACES_OF_PAIRS                                                                                                \
        u32 first[LEVEL_TURNS], second[LEVEL_TURNS];                                                                   \
        type even[LEVEL_TURNS], odd[LEVEL_TURNS], value[LEVEL_REACH];                                                  \
        load_pairs(&t, samples, narrow, first, second);                                                                \
        TYPED_PAIRS(type, LEVEL_TURNS, first, second, even, odd)                                                       \
        SYNTHESISE_ROWS_##filter(t, LEVEL_TURNS, even, odd, patch);                                                    \
        synthesise_column_##filter(&t, patch, value);                                                                  \
        UNROLL for (u32 i = LEVEL_MARGIN; i < LEVEL_MARGIN + LEVEL_RUN; i++)                                           \
        {                                                                                                              \
            u32 to;                                                                                                    \
            if (level_target(&t, own_column(), own_run() + i, &to))                                                    \
                put_sample(samples, to, narrow, bits_of_##type(value[i]));                                             \
        }                                                                                                              \
    }

SYNTHESISE(synthesise_53, 53, i32, 0)
SYNTHESISE(synthesise_53_narrow, 53, i32, 1)
SYNTHESISE(synthesise_97, 97, float, 0)
