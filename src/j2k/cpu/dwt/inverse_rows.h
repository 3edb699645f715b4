/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the inverse steps in plain C that compilers turn into vector code. Each tier's file includes it once; its
 * compiler flags decide which vectors are used.
 */
#include "j2k/cpu/dwt/dwt_rows.h"
#include "j2k/cpu/dwt/inverse.h"
#include "j2k/tables/transforms.h"

/* Convert sign and magnitude to a two's complement number. */
static inline int32_t index_value(uint32_t index)
{
    int32_t sign = (int32_t)index >> 31;
    return ((int32_t)(index & 0x7FFFFFFF) ^ sign) - sign;
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

/*
 * The last step of a row: stores even[i] and what `lifted` makes of odd[i] alternately, from the pair after the margin
 * on, but for the first `skip` samples.
 */
#define LAST_STEP(lifted)                                                                                              \
    size_t i = J2K_DWT_MARGIN;                                                                                         \
    if (skip) {                                                                                                        \
        *to++ = lifted;                                                                                                \
        i++;                                                                                                           \
        width--;                                                                                                       \
    }                                                                                                                  \
    for (const size_t first = i, end = i + width / 2; i < end; i++) {                                                  \
        to[2 * (i - first)] = even[i];                                                                                 \
        to[2 * (i - first) + 1] = lifted;                                                                              \
    }                                                                                                                  \
    if (width % 2 == 1)                                                                                                \
        to[width - 1] = even[i];

#define SAMPLE int32_t
#define UNSIGNED uint32_t
#define NAMED(name) name##_integers
#include "j2k/cpu/dwt/inverse_53.h"

#define SAMPLE int16_t
#define UNSIGNED uint16_t
#define NAMED(name) name##_narrow
#include "j2k/cpu/dwt/inverse_53.h"

static void undo_update_53(int32_t *restrict row, const int32_t *a, const int32_t *b, size_t width)
{
    for (size_t i = 0; i < width; i++)
        row[i] = lift_even_integers(row[i], a[i], b[i]);
}

static void undo_predict_53(int32_t *restrict row, const int32_t *a, const int32_t *b, size_t width)
{
    for (size_t i = 0; i < width; i++)
        row[i] = lift_odd_integers(row[i], a[i], b[i]);
}

/* Make a lifting step: x − factor × (a + b). */
static inline float lift(float x, float factor, float a, float b)
{
    return x - factor * (a + b);
}

static void undo_lift_97(float *restrict row, const float *a, const float *b, float factor, size_t width)
{
    for (size_t i = 0; i < width; i++)
        row[i] = lift(row[i], factor, a[i], b[i]);
}

static void join_97(
    float *restrict even, float *restrict odd, size_t pairs, size_t skip, size_t width, float *restrict to)
{
    for (size_t i = 1; i < pairs; i++)
        even[i] = lift(even[i], J2K_DWT_DELTA, odd[i - 1], odd[i]);
    for (size_t i = 1; i + 1 < pairs; i++)
        odd[i] = lift(odd[i], J2K_DWT_GAMMA, even[i], even[i + 1]);
    for (size_t i = 2; i + 1 < pairs; i++)
        even[i] = lift(even[i], J2K_DWT_BETA, odd[i - 1], odd[i]);
    LAST_STEP(lift(odd[i], J2K_DWT_ALPHA, even[i], even[i + 1]))
}

static void lift_97(const float *restrict low, const float *restrict high, float *const state[4], float *restrict even,
    float *restrict odd, size_t width)
{
    float *restrict odd0 = state[0], *restrict even1 = state[1], *restrict odd1 = state[2], *restrict even2 = state[3];
    for (size_t i = 0; i < width; i++) {
        float new_odd0 = J2K_DWT_INVERSE_SCALE * high[i];
        float new_even1 = lift(J2K_DWT_SCALE * low[i], J2K_DWT_DELTA, odd0[i], new_odd0);
        float new_odd1 = lift(odd0[i], J2K_DWT_GAMMA, even1[i], new_even1);
        float new_even2 = lift(even1[i], J2K_DWT_BETA, odd1[i], new_odd1);
        odd[i] = lift(odd1[i], J2K_DWT_ALPHA, even2[i], new_even2);
        even[i] = new_even2;
        odd0[i] = new_odd0;
        even1[i] = new_even1;
        odd1[i] = new_odd1;
        even2[i] = new_even2;
    }
}

static void ict(float *restrict y, float *restrict cb, float *restrict cr, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float luma = y[i], blue = cb[i], red = cr[i];
        y[i] = luma + J2K_SINGLE(J2K_ICT_RED_CR) * red;
        cb[i] = luma - J2K_SINGLE(J2K_ICT_GREEN_CB) * blue - J2K_SINGLE(J2K_ICT_GREEN_CR) * red;
        cr[i] = luma + J2K_SINGLE(J2K_ICT_BLUE_CB) * blue;
    }
}

/* Values are shifted, even signed ones, so that none is negative: truncation then rounds down. */
static void finish_reals(const float *restrict from, size_t count, uint32_t depth, bool is_signed, int32_t *restrict to)
{
    uint32_t half = (uint32_t)1 << (depth - 1);
    float shift = (float)half, rounding = depth < 24 ? 0.5F : 0;
    /* The largest single-precision number below 2^depth. */
    float high = (float)(2 * half - (depth <= 24 ? 1 : (uint32_t)1 << (depth - 24)));
    int32_t back = is_signed ? (int32_t)half : 0;
    for (size_t i = 0; i < count; i++) {
        float value = from[i] + shift;
        value = value > 0 ? value : 0; /* also catches values that are not numbers */
        value = value < high ? value : high;
        to[i] = (int32_t)(value + rounding) - back;
    }
}

#define PACK(name, sample, type)                                                                                       \
    static void name(const sample *restrict from, size_t count, type *restrict to, size_t step)                        \
    {                                                                                                                  \
        if (step == 1)                                                                                                 \
            for (size_t i = 0; i < count; i++)                                                                         \
                to[i] = (type)from[i];                                                                                 \
        else                                                                                                           \
            for (size_t i = 0; i < count; i++)                                                                         \
                to[i * step] = (type)from[i];                                                                          \
    }
PACK(pack_8, int32_t, uint8_t)
PACK(pack_16, int32_t, uint16_t)
PACK(pack_8_narrow, int16_t, uint8_t)
PACK(pack_16_narrow, int16_t, uint16_t)
PACK(pack_32, int32_t, int32_t)
PACK(pack_32_narrow, int16_t, int32_t)

static void interleave_8(const uint8_t *restrict first, const uint8_t *restrict second, const uint8_t *restrict third,
    size_t count, uint8_t *restrict to)
{
    for (size_t i = 0; i < count; i++) {
        to[3 * i] = first[i];
        to[3 * i + 1] = second[i];
        to[3 * i + 2] = third[i];
    }
}

static const struct j2k_inverse functions = {.store_integers = store_integers,
    .store_narrow = store_narrow,
    .store_reals = store_reals,
    .scale = scale,
    .join_53 = join_53_integers,
    .join_53_narrow = join_53_narrow,
    .join_97 = join_97,
    .lift_53 = lift_53_integers,
    .lift_53_narrow = lift_53_narrow,
    .lift_97 = lift_97,
    .undo_update_53 = undo_update_53,
    .undo_predict_53 = undo_predict_53,
    .undo_lift_97 = undo_lift_97,
    .rct = rct_integers,
    .rct_narrow = rct_narrow,
    .ict = ict,
    .finish_integers = finish_integers,
    .finish_narrow = finish_narrow,
    .finish_reals = finish_reals,
    .pack_8 = pack_8,
    .pack_8_narrow = pack_8_narrow,
    .pack_16 = pack_16,
    .pack_16_narrow = pack_16_narrow,
    .pack_32 = pack_32,
    .pack_32_narrow = pack_32_narrow,
    .interleave_8 = interleave_8};
