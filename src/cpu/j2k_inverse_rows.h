/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain C that compilers make vectors of. Included once by each tier's file, whose flags say which vectors. */
#include "cpu/j2k_dwt_rows.h"
#include "cpu/j2k_inverse.h"

/* Table F.4, and K of F.3.8.2. */
static const float alpha = -1.586134342059924F, beta = -0.052980118572961F, gamma = 0.882911075530934F,
                   delta = 0.443506852043971F;

/* Sign and magnitude as a two's complement number. */
static inline int32_t index_value(uint32_t index)
{
    int32_t sign = (int32_t)index >> 31;
    return ((int32_t)(index & 0x7FFFFFFF) ^ sign) - sign;
}

static void store_integers(const struct j2k_indices *indices, int32_t *to, size_t pitch)
{
    const size_t width = indices->width; /* a variable of its own, as stores might change the other */
    for (uint32_t y = 0; y < indices->height; y++) {
        const uint32_t *restrict from = indices->from + y * indices->pitch;
        int32_t *restrict row = to + y * pitch;
        for (size_t x = 0; x < width; x++)
            row[x] = index_value(from[x]);
    }
}

static void store_reals(const struct j2k_indices *indices, float factor, float *to, size_t pitch)
{
    for (uint32_t y = 0; y < indices->height; y++) {
        const uint32_t *restrict from = indices->from + y * indices->pitch;
        float *restrict row = to + y * pitch;
        for (size_t x = 0; x < indices->width; x++)
            row[x] = (float)index_value(from[x]) * factor;
    }
}

static void scale(const float *restrict from, size_t count, float factor, float *restrict to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = factor * from[i];
}

/* even[i] and odd[i] by turns. */
#define INTERLEAVE(name, type)                                                                                         \
    static void name(                                                                                                  \
        const type *restrict even, const type *restrict odd, size_t skip, size_t width, type *restrict to)             \
    {                                                                                                                  \
        if (skip) {                                                                                                    \
            *to++ = *odd++;                                                                                            \
            even++;                                                                                                    \
            width--;                                                                                                   \
        }                                                                                                              \
        for (size_t i = 0; i < width / 2; i++) {                                                                       \
            to[2 * i] = even[i];                                                                                       \
            to[2 * i + 1] = odd[i];                                                                                    \
        }                                                                                                              \
        if (width % 2 == 1)                                                                                            \
            to[width - 1] = even[width / 2];                                                                           \
    }
INTERLEAVE(interleave_integers, int32_t)
INTERLEAVE(interleave_reals, float)

/* x − floor((a + b + 2) / 4), wrapping. */
static inline int32_t lift_even(int32_t x, int32_t a, int32_t b)
{
    int32_t sum = (int32_t)((uint32_t)a + (uint32_t)b + 2);
    return (int32_t)((uint32_t)x - (uint32_t)(sum >> 2));
}

/* x + floor((a + b) / 2), wrapping. */
static inline int32_t lift_odd(int32_t x, int32_t a, int32_t b)
{
    int32_t sum = (int32_t)((uint32_t)a + (uint32_t)b);
    return (int32_t)((uint32_t)x + (uint32_t)(sum >> 1));
}

static void join_53(
    int32_t *restrict even, int32_t *restrict odd, size_t pairs, size_t skip, size_t width, int32_t *restrict to)
{
    for (size_t i = 1; i < pairs; i++)
        even[i] = lift_even(even[i], odd[i - 1], odd[i]);
    for (size_t i = 1; i + 1 < pairs; i++)
        odd[i] = lift_odd(odd[i], even[i], even[i + 1]);
    interleave_integers(even + J2K_DWT_MARGIN, odd + J2K_DWT_MARGIN, skip, width, to);
}

static void lift_53(const int32_t *restrict low, const int32_t *restrict above, const int32_t *restrict below,
    int32_t *restrict state, int32_t *restrict even, int32_t *restrict odd, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        int32_t value = lift_even(low[i], above[i], below[i]);
        odd[i] = lift_odd(above[i], state[i], value);
        even[i] = value;
        state[i] = value;
    }
}

/* x − factor × (a + b) */
static inline float lift(float x, float factor, float a, float b)
{
    return x - factor * (a + b);
}

static void join_97(
    float *restrict even, float *restrict odd, size_t pairs, size_t skip, size_t width, float *restrict to)
{
    for (size_t i = 1; i < pairs; i++)
        even[i] = lift(even[i], delta, odd[i - 1], odd[i]);
    for (size_t i = 1; i + 1 < pairs; i++)
        odd[i] = lift(odd[i], gamma, even[i], even[i + 1]);
    for (size_t i = 2; i + 1 < pairs; i++)
        even[i] = lift(even[i], beta, odd[i - 1], odd[i]);
    for (size_t i = 2; i + 2 < pairs; i++)
        odd[i] = lift(odd[i], alpha, even[i], even[i + 1]);
    interleave_reals(even + J2K_DWT_MARGIN, odd + J2K_DWT_MARGIN, skip, width, to);
}

static void lift_97(const float *restrict low, const float *restrict high, float *const state[4], float *restrict even,
    float *restrict odd, size_t width)
{
    float *restrict odd0 = state[0], *restrict even1 = state[1], *restrict odd1 = state[2], *restrict even2 = state[3];
    for (size_t i = 0; i < width; i++) {
        float new_odd0 = J2K_DWT_HIGH_SCALE * high[i];
        float new_even1 = lift(J2K_DWT_LOW_SCALE * low[i], delta, odd0[i], new_odd0);
        float new_odd1 = lift(odd0[i], gamma, even1[i], new_even1);
        float new_even2 = lift(even1[i], beta, odd1[i], new_odd1);
        odd[i] = lift(odd1[i], alpha, even2[i], new_even2);
        even[i] = new_even2;
        odd0[i] = new_odd0;
        even1[i] = new_even1;
        odd1[i] = new_odd1;
        even2[i] = new_even2;
    }
}

static void rct(int32_t *restrict y, int32_t *restrict u, int32_t *restrict v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t first = (uint32_t)u[i], second = (uint32_t)v[i];
        uint32_t green = (uint32_t)y[i] - (uint32_t)((int32_t)(first + second) >> 2);
        y[i] = (int32_t)(second + green);
        u[i] = (int32_t)green;
        v[i] = (int32_t)(first + green);
    }
}

static void ict(float *restrict y, float *restrict cb, float *restrict cr, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float luma = y[i], blue = cb[i], red = cr[i];
        y[i] = luma + 1.402F * red;
        cb[i] = luma - 0.34413F * blue - 0.71414F * red;
        cr[i] = luma + 1.772F * blue;
    }
}

static void finish_integers(
    const int32_t *restrict from, size_t count, uint32_t depth, bool is_signed, int32_t *restrict to)
{
    int32_t half = (int32_t)((uint32_t)1 << (depth - 1));
    int32_t low = is_signed ? -half : 0, high = is_signed ? half - 1 : half - 1 + half;
    uint32_t shift = is_signed ? 0 : (uint32_t)half;
    for (size_t i = 0; i < count; i++) {
        int32_t value = (int32_t)((uint32_t)from[i] + shift);
        value = value < low ? low : value;
        to[i] = value > high ? high : value;
    }
}

/* Shifted to where nothing is negative, also if signed: truncation then rounds down. */
static void finish_reals(const float *restrict from, size_t count, uint32_t depth, bool is_signed, int32_t *restrict to)
{
    uint32_t half = (uint32_t)1 << (depth - 1);
    float shift = (float)half, rounding = depth < 24 ? 0.5F : 0;
    /* the largest number of this precision below 2^depth */
    float high = (float)(2 * half - (depth <= 24 ? 1 : (uint32_t)1 << (depth - 24)));
    int32_t back = is_signed ? (int32_t)half : 0;
    for (size_t i = 0; i < count; i++) {
        float value = from[i] + shift;
        value = value > 0 ? value : 0; /* what is no number, too */
        value = value < high ? value : high;
        to[i] = (int32_t)(value + rounding) - back;
    }
}

static void pack_8(const int32_t *restrict from, size_t count, uint8_t *restrict to, size_t step)
{
    if (step == 1)
        for (size_t i = 0; i < count; i++)
            to[i] = (uint8_t)from[i];
    else
        for (size_t i = 0; i < count; i++)
            to[i * step] = (uint8_t)from[i];
}

static void pack_16(const int32_t *restrict from, size_t count, uint16_t *restrict to, size_t step)
{
    if (step == 1)
        for (size_t i = 0; i < count; i++)
            to[i] = (uint16_t)from[i];
    else
        for (size_t i = 0; i < count; i++)
            to[i * step] = (uint16_t)from[i];
}

static const struct j2k_inverse functions = {.store_integers = store_integers,
    .store_reals = store_reals,
    .scale = scale,
    .join_53 = join_53,
    .join_97 = join_97,
    .lift_53 = lift_53,
    .lift_97 = lift_97,
    .rct = rct,
    .ict = ict,
    .finish_integers = finish_integers,
    .finish_reals = finish_reals,
    .pack_8 = pack_8,
    .pack_16 = pack_16};
