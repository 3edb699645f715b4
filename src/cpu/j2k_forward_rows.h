/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain C that compilers make vectors of. Included once by each tier's file, whose flags say which vectors. */
#include <string.h>

#include "cpu/j2k_dwt_rows.h"
#include "cpu/j2k_forward.h"

/* Table F.4, and K of F.4.8.2. */
static const float alpha = -1.586134342059924F, beta = -0.052980118572961F, gamma = 0.882911075530934F,
                   delta = 0.443506852043971F, scale = 1.230174104914001F, inverse_scale = 1.0F / 1.230174104914001F;

/* From each kind of sample to integers and to reals. */
#define LOAD(name, type, result)                                                                                       \
    static inline void name(const type *restrict from, size_t step, size_t count, int32_t low, int32_t high,           \
        int32_t shift, result *restrict to)                                                                            \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            int32_t value = (int32_t)from[i * step];                                                                   \
            value = value < low ? low : value;                                                                         \
            to[i] = (result)((value > high ? high : value) - shift);                                                   \
        }                                                                                                              \
    }
#define LOAD_STEPS(type, result)                                                                                       \
    LOAD(load_any_##type##_##result, type, result)                                                                     \
    static void load_##type##_##result(                                                                                \
        const type *from, size_t step, size_t count, int32_t low, int32_t high, int32_t shift, result *to)             \
    {                                                                                                                  \
        if (step == 1)                                                                                                 \
            load_any_##type##_##result(from, 1, count, low, high, shift, to);                                          \
        else if (step == 3)                                                                                            \
            load_any_##type##_##result(from, 3, count, low, high, shift, to);                                          \
        else                                                                                                           \
            load_any_##type##_##result(from, step, count, low, high, shift, to);                                       \
    }

/* Unsigned samples of 31 bits fit int32_t. */
#define LOAD_ALL(name, result)                                                                                         \
    LOAD_STEPS(uint8_t, result)                                                                                        \
    LOAD_STEPS(int8_t, result)                                                                                         \
    LOAD_STEPS(uint16_t, result)                                                                                       \
    LOAD_STEPS(int16_t, result)                                                                                        \
    LOAD_STEPS(int32_t, result)                                                                                        \
    static void name(const struct j2k_origin *origin, const void *from, size_t count, result *to)                      \
    {                                                                                                                  \
        int32_t half = (int32_t)((uint32_t)1 << (origin->depth - 1)), low = origin->is_signed ? -half : 0;             \
        int32_t high = half - 1 + (origin->is_signed ? 0 : half), shift = origin->is_signed ? 0 : half;                \
        if (origin->bytes == 4)                                                                                        \
            load_int32_t_##result(from, origin->step, count, low, high, shift, to);                                    \
        else if (origin->bytes == 2 && origin->is_signed)                                                              \
            load_int16_t_##result(from, origin->step, count, low, high, shift, to);                                    \
        else if (origin->bytes == 2)                                                                                   \
            load_uint16_t_##result(from, origin->step, count, low, high, shift, to);                                   \
        else if (origin->is_signed)                                                                                    \
            load_int8_t_##result(from, origin->step, count, low, high, shift, to);                                     \
        else                                                                                                           \
            load_uint8_t_##result(from, origin->step, count, low, high, shift, to);                                    \
    }

LOAD_ALL(load_integers, int32_t)
LOAD_ALL(load_reals, float)

static void rct(int32_t *restrict red, int32_t *restrict green, int32_t *restrict blue, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t r = (uint32_t)red[i], g = (uint32_t)green[i], b = (uint32_t)blue[i];
        red[i] = (int32_t)(r + 2 * g + b) >> 2;
        green[i] = (int32_t)(b - g);
        blue[i] = (int32_t)(r - g);
    }
}

static void ict(float *restrict red, float *restrict green, float *restrict blue, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float r = red[i], g = green[i], b = blue[i];
        red[i] = 0.299F * r + 0.587F * g + 0.114F * b;
        green[i] = -0.16875F * r - 0.33126F * g + 0.5F * b;
        blue[i] = 0.5F * r - 0.41869F * g - 0.08131F * b;
    }
}

/* x − floor((a + b) / 2) and x + floor((a + b + 2) / 4), wrapping. */
static inline int32_t predict(int32_t x, int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)x - (uint32_t)((int32_t)((uint32_t)a + (uint32_t)b) >> 1));
}

static inline int32_t update(int32_t x, int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)x + (uint32_t)((int32_t)((uint32_t)a + (uint32_t)b + 2) >> 2));
}

static inline float lift(float x, float factor, float a, float b)
{
    return x + factor * (a + b);
}

static void lift_53(const int32_t *restrict even, const int32_t *restrict odd, const int32_t *restrict next,
    int32_t *restrict state, int32_t *restrict low, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        int32_t high = predict(odd[i], even[i], next[i]);
        low[i] = update(even[i], state[i], high);
        state[i] = high;
    }
}

static void lift_97(const float *restrict even, const float *restrict odd, const float *restrict next,
    float *const states[3], float *restrict low, float *restrict high, size_t width)
{
    float *restrict odd1 = states[0], *restrict even1 = states[1], *restrict odd2 = states[2];
    for (size_t i = 0; i < width; i++) {
        float new_odd1 = lift(odd[i], alpha, even[i], next[i]);
        float new_even1 = lift(even[i], beta, odd1[i], new_odd1);
        float new_odd2 = lift(odd1[i], gamma, even1[i], new_even1);
        low[i] = inverse_scale * lift(even1[i], delta, odd2[i], new_odd2);
        high[i] = scale * new_odd2;
        odd1[i] = new_odd1;
        even1[i] = new_even1;
        odd2[i] = new_odd2;
    }
}

/*
 * Pairs 2 n and 2 n + 1 of a row that starts at x0, continued by mirror images: even[0] and odd[0] are those of n =
 * first.
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

DEINTERLEAVE(pairs_of_integers, int32_t)
DEINTERLEAVE(pairs_of_reals, float)

static void split_53(
    const int32_t *row, uint32_t start, size_t width, int32_t *restrict low, int32_t *restrict high, int32_t *room)
{
    if (width == 1) {
        if (start % 2 == 0)
            *low = *row;
        else
            *high = (int32_t)((uint32_t)*row << 1);
        return;
    }
    int64_t x0 = start, x1 = x0 + (int64_t)width, first = x0 / 2 - 1, end = x1 / 2 + 2;
    size_t pairs = (size_t)(end - first), lows = (size_t)((x1 + 1) / 2 - (x0 + 1) / 2);
    int32_t *restrict even = room, *restrict odd = room + pairs;
    pairs_of_integers(row, x0, x1, first, end, even, odd);
    for (size_t i = 0; i + 1 < pairs; i++)
        odd[i] = predict(odd[i], even[i], even[i + 1]);
    const int32_t *restrict from = even + 1 + x0 % 2, *restrict around = odd + x0 % 2;
    for (size_t i = 0; i < lows; i++)
        low[i] = update(from[i], around[i], around[i + 1]);
    memcpy(high, odd + 1, sizeof *high * (width - lows));
}

static void split_97(
    const float *row, uint32_t start, size_t width, float *restrict low, float *restrict high, float *room)
{
    if (width == 1) {
        if (start % 2 == 0)
            *low = *row;
        else
            *high = 2.0F * *row;
        return;
    }
    int64_t x0 = start, x1 = x0 + (int64_t)width, first = x0 / 2 - 2, end = x1 / 2 + 3;
    size_t pairs = (size_t)(end - first), lows = (size_t)((x1 + 1) / 2 - (x0 + 1) / 2);
    float *restrict even = room, *restrict odd = room + pairs;
    pairs_of_reals(row, x0, x1, first, end, even, odd);
    for (size_t i = 0; i + 1 < pairs; i++)
        odd[i] = lift(odd[i], alpha, even[i], even[i + 1]);
    for (size_t i = 1; i + 1 < pairs; i++)
        even[i] = lift(even[i], beta, odd[i - 1], odd[i]);
    for (size_t i = 1; i + 2 < pairs; i++)
        odd[i] = lift(odd[i], gamma, even[i], even[i + 1]);
    const float *restrict from = even + 2 + x0 % 2, *restrict around = odd + 1 + x0 % 2;
    for (size_t i = 0; i < lows; i++)
        low[i] = inverse_scale * lift(from[i], delta, around[i], around[i + 1]);
    for (size_t i = 0; i < width - lows; i++)
        high[i] = scale * odd[2 + i];
}

static void sign_integers(const int32_t *restrict from, size_t count, uint32_t *restrict to)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value = (uint32_t)from[i], sign = value >> 31;
        to[i] = (value ^ (0 - sign)) + sign + (sign << 31);
    }
}

static void quantise(const float *restrict from, size_t count, float factor, uint32_t *restrict to)
{
    for (size_t i = 0; i < count; i++) {
        float value = from[i] * factor;
        int32_t magnitude = (int32_t)(value < 0 ? -value : value);
        to[i] = (uint32_t)magnitude | (value < 0 ? 0x80000000 : 0);
    }
}

static const struct j2k_forward functions = {.load_integers = load_integers,
    .load_reals = load_reals,
    .rct = rct,
    .ict = ict,
    .lift_53 = lift_53,
    .lift_97 = lift_97,
    .split_53 = split_53,
    .split_97 = split_97,
    .sign_integers = sign_integers,
    .quantise = quantise};
