/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the forward steps in plain C that compilers turn into vector code. Each tier's file includes it once; its
 * compiler flags decide which vectors are used.
 */
#include <string.h>

#include "j2k/cpu/dwt/dwt_rows.h"
#include "j2k/cpu/dwt/forward.h"
#include "j2k/tables/transforms.h"

/*
 * Loads samples of one type as integers or reals. Intermediate values have type `middle`, into which all of them fit.
 */
#define LOAD(name, type, middle, result)                                                                               \
    static inline void name##_strided(const type *restrict from, size_t stride, size_t count, middle low, middle high, \
        middle shift, result *restrict to)                                                                             \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            middle value = (middle)from[i * stride];                                                                   \
            value = value < low ? low : value;                                                                         \
            value = value > high ? high : value;                                                                       \
            to[i] = (result)(value - shift);                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(                                                                                                  \
        const type *from, size_t stride, size_t count, int32_t low, int32_t high, int32_t shift, result *to)           \
    {                                                                                                                  \
        if (stride == 1)                                                                                               \
            name##_strided(from, 1, count, (middle)low, (middle)high, (middle)shift, to);                              \
        else if (stride == 3)                                                                                          \
            name##_strided(from, 3, count, (middle)low, (middle)high, (middle)shift, to);                              \
        else                                                                                                           \
            name##_strided(from, stride, count, (middle)low, (middle)high, (middle)shift, to);                         \
    }

/* Unsigned 32-bit samples are at most 31 bits deep, so they fit int32_t. */
#define LOAD_ALL(name, small, result)                                                                                  \
    LOAD(name##_u8, uint8_t, small, result)                                                                            \
    LOAD(name##_s8, int8_t, small, result)                                                                             \
    LOAD(name##_u16, uint16_t, int32_t, result)                                                                        \
    LOAD(name##_s16, int16_t, int32_t, result)                                                                         \
    LOAD(name##_s32, int32_t, int32_t, result)                                                                         \
    static void name(const struct j2k_origin *origin, const void *from, size_t count, result *to)                      \
    {                                                                                                                  \
        int32_t half = (int32_t)((uint32_t)1 << (origin->depth - 1)), low = origin->is_signed ? -half : 0;             \
        int32_t high = half - 1 + (origin->is_signed ? 0 : half), shift = origin->is_signed ? 0 : half;                \
        if (origin->bytes == 4)                                                                                        \
            name##_s32(from, origin->stride, count, low, high, shift, to);                                             \
        else if (origin->bytes == 2 && origin->is_signed)                                                              \
            name##_s16(from, origin->stride, count, low, high, shift, to);                                             \
        else if (origin->bytes == 2)                                                                                   \
            name##_u16(from, origin->stride, count, low, high, shift, to);                                             \
        else if (origin->is_signed)                                                                                    \
            name##_s8(from, origin->stride, count, low, high, shift, to);                                              \
        else                                                                                                           \
            name##_u8(from, origin->stride, count, low, high, shift, to);                                              \
    }

LOAD_ALL(load_integers, int32_t, int32_t)
LOAD_ALL(load_narrow, int16_t, int16_t)
LOAD_ALL(load_reals, int32_t, float)

static void ict(float *restrict red, float *restrict green, float *restrict blue, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float r = red[i], g = green[i], b = blue[i];
        red[i] = J2K_ICT_Y_RED * r + J2K_ICT_Y_GREEN * g + J2K_ICT_Y_BLUE * b;
        green[i] = -J2K_ICT_CB_RED * r - J2K_ICT_CB_GREEN * g + 0.5F * b;
        blue[i] = 0.5F * r - J2K_ICT_CR_GREEN * g - J2K_ICT_CR_BLUE * b;
    }
}

static inline float lift(float x, float factor, float a, float b)
{
    return x + factor * (a + b);
}

static void lift_97(const float *restrict even, const float *restrict odd, const float *restrict next,
    float *const states[3], float *restrict low, float *restrict high, size_t width)
{
    float *restrict odd1 = states[0], *restrict even1 = states[1], *restrict odd2 = states[2];
    for (size_t i = 0; i < width; i++) {
        float new_odd1 = lift(odd[i], J2K_DWT_ALPHA, even[i], next[i]);
        float new_even1 = lift(even[i], J2K_DWT_BETA, odd1[i], new_odd1);
        float new_odd2 = lift(odd1[i], J2K_DWT_GAMMA, even1[i], new_even1);
        low[i] = J2K_DWT_INVERSE_SCALE * lift(even1[i], J2K_DWT_DELTA, odd2[i], new_odd2);
        high[i] = J2K_DWT_SCALE * new_odd2;
        odd1[i] = new_odd1;
        even1[i] = new_even1;
        odd2[i] = new_odd2;
    }
}

/*
 * Separates a row that starts at x0, continued by mirror images, into pairs 2 n and 2 n + 1; even[0] and odd[0] are the
 * pair of n = first.
 */
#define DEINTERLEAVE(name, type)                                                                                       \
    static void name(const type *restrict row, int64_t x0, int64_t x1, int64_t first, int64_t end,                     \
        type *restrict even, type *restrict odd)                                                                       \
    {                                                                                                                  \
        int64_t begin = (x0 + 1) / 2, stop = x1 / 2;                                                                   \
        for (int64_t n = first; n < begin; n++) {                                                                      \
            even[n - first] = row[j2k_mirror(2 * n, x0, x1) - x0];                                                     \
            odd[n - first] = row[j2k_mirror(2 * n + 1, x0, x1) - x0];                                                  \
        }                                                                                                              \
        const type *restrict from = row + (2 * begin - x0);                                                            \
        type *restrict to_even = even + (begin - first), *restrict to_odd = odd + (begin - first);                     \
        for (int64_t i = 0; i < stop - begin; i++) {                                                                   \
            to_even[i] = from[2 * i];                                                                                  \
            to_odd[i] = from[2 * i + 1];                                                                               \
        }                                                                                                              \
        for (int64_t n = stop; n < end; n++) {                                                                         \
            even[n - first] = row[j2k_mirror(2 * n, x0, x1) - x0];                                                     \
            odd[n - first] = row[j2k_mirror(2 * n + 1, x0, x1) - x0];                                                  \
        }                                                                                                              \
    }

/* Says which coefficients of the halves of a row are stored: how many are left out first, and how many follow. */
struct j2k_stored {
    size_t low, lows, high, highs;
};

static inline struct j2k_stored find_stored(const struct j2k_columns *columns)
{
    const uint64_t x0 = columns->x0, x1 = columns->x1, from = x0 + columns->left, end = x1 - columns->right;
    return (struct j2k_stored){.low = (size_t)((from + 1) / 2 - (x0 + 1) / 2),
        .lows = (size_t)((end + 1) / 2 - (from + 1) / 2),
        .high = (size_t)(from / 2 - x0 / 2),
        .highs = (size_t)(end / 2 - from / 2)};
}

#define SAMPLE int32_t
#define UNSIGNED uint32_t
#define NAMED(name) name##_integers
#include "j2k/cpu/dwt/forward_53.h"

#define SAMPLE int16_t
#define UNSIGNED uint16_t
#define NAMED(name) name##_narrow
#include "j2k/cpu/dwt/forward_53.h"

DEINTERLEAVE(pairs_of_reals, float)

static void predict_53(int32_t *restrict row, const int32_t *a, const int32_t *b, size_t width)
{
    for (size_t i = 0; i < width; i++)
        row[i] = predict_integers(row[i], a[i], b[i]);
}

static void update_53(int32_t *restrict row, const int32_t *a, const int32_t *b, size_t width)
{
    for (size_t i = 0; i < width; i++)
        row[i] = update_integers(row[i], a[i], b[i]);
}

static void lift_rows_97(float *restrict row, const float *a, const float *b, float factor, size_t width)
{
    for (size_t i = 0; i < width; i++)
        row[i] = lift(row[i], factor, a[i], b[i]);
}

static void split_97(
    const float *row, const struct j2k_columns *columns, float *restrict low, float *restrict high, float *room)
{
    if (columns->x1 - columns->x0 == 1) {
        if (columns->x0 % 2 == 0)
            *low = *row;
        else
            *high = 2.0F * *row;
        return;
    }
    const struct j2k_stored stored = find_stored(columns);
    int64_t x0 = columns->x0, x1 = columns->x1, first = x0 / 2 - 2, end = x1 / 2 + 3;
    size_t pairs = (size_t)(end - first);
    float *restrict even = room, *restrict odd = room + pairs;
    pairs_of_reals(row, x0, x1, first, end, even, odd);
    for (size_t i = 0; i + 1 < pairs; i++)
        odd[i] = lift(odd[i], J2K_DWT_ALPHA, even[i], even[i + 1]);
    for (size_t i = 1; i + 1 < pairs; i++)
        even[i] = lift(even[i], J2K_DWT_BETA, odd[i - 1], odd[i]);
    for (size_t i = 1; i + 2 < pairs; i++)
        odd[i] = lift(odd[i], J2K_DWT_GAMMA, even[i], even[i + 1]);
    const float *restrict from = even + 2 + x0 % 2 + stored.low, *restrict around = odd + 1 + x0 % 2 + stored.low;
    for (size_t i = 0; i < stored.lows; i++)
        low[i] = J2K_DWT_INVERSE_SCALE * lift(from[i], J2K_DWT_DELTA, around[i], around[i + 1]);
    for (size_t i = 0; i < stored.highs; i++)
        high[i] = J2K_DWT_SCALE * odd[2 + stored.high + i];
}

/* Quantise. Reals without signs are ordered like their bits, which compilers compare in vectors. */
static float quantise(const float *restrict from, size_t count, float factor, uint32_t *restrict to)
{
    int32_t most = 0;
    float largest;
    for (size_t i = 0; i < count; i++) {
        float value = from[i] * factor;
        int32_t magnitude = (int32_t)(value < 0 ? -value : value), bits;
        to[i] = (uint32_t)magnitude | (value < 0 ? 0x80000000 : 0);
        memcpy(&bits, &from[i], sizeof bits);
        bits &= 0x7FFFFFFF;
        most = bits > most ? bits : most;
    }
    memcpy(&largest, &most, sizeof largest);
    return largest;
}

static const struct j2k_forward functions = {.load_integers = load_integers,
    .load_narrow = load_narrow,
    .load_reals = load_reals,
    .rct = rct_integers,
    .rct_narrow = rct_narrow,
    .ict = ict,
    .lift_53 = lift_53_integers,
    .lift_53_narrow = lift_53_narrow,
    .lift_97 = lift_97,
    .predict_53 = predict_53,
    .update_53 = update_53,
    .lift_rows_97 = lift_rows_97,
    .split_53 = split_53_integers,
    .split_53_narrow = split_53_narrow,
    .split_97 = split_97,
    .sign_integers = sign_integers,
    .sign_narrow = sign_narrow,
    .quantise = quantise};
