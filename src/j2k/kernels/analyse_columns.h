/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the forward wavelet along z, between the slices of a volume (T.801), together with their intake. A work-item
 * has a column, the samples at one place in all slices, and goes along it once for each level. It keeps in registers
 * what the next rows need. A row lies where its coefficients end up, so that levels are undone in place; the finest one
 * reads slices instead. Levels begin at even positions. All operations are those of the CPU's code.
 */
#include "j2k/kernels/analyse.h"
#include "j2k/kernels/encode_work.h"
#include "j2k/kernels/intake.h"

FUNCTION u32 row_bits_of_i32(i32 x)
{
    return (u32)x;
}

FUNCTION u32 row_bits_of_float(float x)
{
    return bits_of(x);
}

FUNCTION i32 row_of_i32(u32 x)
{
    return (i32)x;
}

FUNCTION float row_of_float(u32 x)
{
    return float_of(x);
}

/* Return the magnitude up to which a coefficient goes, in whole numbers. */
FUNCTION u32 magnitude_of_i32(i32 x)
{
    return (u32)(x < 0 ? ~x : x);
}

FUNCTION u32 magnitude_of_float(float x)
{
    const float magnitude = x < 0.0f ? -x : x;
    return magnitude < 2147483000.0f ? (u32)magnitude : 0x7FFFFFFFu;
}

/* Take a sample of a slice, clamped to its depth and without its level shift. */
FUNCTION i32 take_slice(GLOBAL const struct j2k_work_slices *v, GLOBAL const u8 *slices, u64 at)
{
    i32 value;
    if (v->bytes == 4)
        value = ((GLOBAL const i32 *)(GLOBAL const void *)slices)[at];
    else if (v->bytes == 2 && v->is_signed)
        value = ((GLOBAL const i16 *)(GLOBAL const void *)slices)[at];
    else if (v->bytes == 2)
        value = ((GLOBAL const u16 *)(GLOBAL const void *)slices)[at];
    else if (v->is_signed)
        value = ((GLOBAL const signed char *)(GLOBAL const void *)slices)[at];
    else
        value = slices[at];
    return shift_sample(value, v->depth, v->is_signed);
}

/* Rows of level n, at position p. */
#define PLANE_PLACE(n, p) (slot[(p) << (n)] * v->step + to)
#define TAKE_ROW(type, n, p)                                                                                           \
    ((n) == 0 ? (type)take_slice(v, slices, (u64)(p)*v->width * v->height + at)                                        \
              : row_of_##type(planes[PLANE_PLACE(n, p)]))
#define PUT_LOW(type, n, k, value) planes[PLANE_PLACE(n, 2 * (k))] = row_bits_of_##type(value);
#define PUT_HIGH(type, n, k, value)                                                                                    \
    {                                                                                                                  \
        const type high_row = value;                                                                                   \
        const u32 magnitude = magnitude_of_##type(high_row);                                                           \
        planes[PLANE_PLACE(n, 2 * (k) + 1)] = row_bits_of_##type(high_row);                                            \
        most = magnitude > most ? magnitude : most;                                                                    \
    }

/* Transform a level of at least two rows. The neighbour that a row lacks at an end is its other one (F.4.7). */
#define ANALYSE_ROWS_53(n)                                                                                             \
    {                                                                                                                  \
        i32 even = TAKE_ROW(i32, n, 0), high = 0;                                                                      \
        for (u32 k = 0; k < rows / 2; k++) {                                                                           \
            const i32 odd = TAKE_ROW(i32, n, 2 * k + 1), next = 2 * k + 2 < rows ? TAKE_ROW(i32, n, 2 * k + 2) : even; \
            const i32 before = high;                                                                                   \
            high = predict(odd, even, next);                                                                           \
            PUT_HIGH(i32, n, k, high)                                                                                  \
            PUT_LOW(i32, n, k, update(even, k > 0 ? before : high, high))                                              \
            even = next;                                                                                               \
        }                                                                                                              \
        if (rows % 2 != 0)                                                                                             \
            PUT_LOW(i32, n, rows / 2, update(even, high, high))                                                        \
    }

#define ANALYSE_ROWS_97(n)                                                                                             \
    {                                                                                                                  \
        const u32 pairs = rows / 2;                                                                                    \
        float even = TAKE_ROW(float, n, 0), odd1 = 0, even1 = 0, odd2 = 0;                                             \
        for (u32 k = 0; k <= pairs; k++) {                                                                             \
            float new_odd1 = odd1, new_even1 = even1;                                                                  \
            if (k < pairs) {                                                                                           \
                const float odd = TAKE_ROW(float, n, 2 * k + 1),                                                       \
                            next = 2 * k + 2 < rows ? TAKE_ROW(float, n, 2 * k + 2) : even;                            \
                new_odd1 = raise(odd, J2K_DWT_ALPHA, even, next);                                                      \
                new_even1 = raise(even, J2K_DWT_BETA, k > 0 ? odd1 : new_odd1, new_odd1);                              \
                even = next;                                                                                           \
            } else if (rows % 2 != 0) {                                                                                \
                new_even1 = raise(even, J2K_DWT_BETA, odd1, odd1);                                                     \
            }                                                                                                          \
            if (k > 0) {                                                                                               \
                const float new_odd2 = raise(odd1, J2K_DWT_GAMMA, even1, new_even1);                                   \
                PUT_LOW(float, n, k - 1,                                                                               \
                    J2K_DWT_INVERSE_SCALE * raise(even1, J2K_DWT_DELTA, k > 1 ? odd2 : new_odd2, new_odd2))            \
                PUT_HIGH(float, n, k - 1, J2K_DWT_SCALE * new_odd2)                                                    \
                odd2 = new_odd2;                                                                                       \
            }                                                                                                          \
            odd1 = new_odd1;                                                                                           \
            even1 = new_even1;                                                                                         \
        }                                                                                                              \
        if (rows % 2 != 0)                                                                                             \
            PUT_LOW(float, n, pairs, J2K_DWT_INVERSE_SCALE *raise(even1, J2K_DWT_DELTA, odd2, odd2))                   \
    }

/* A kernel for samples of a type; `most_word` becomes the largest magnitude of all coefficients. */
#define ANALYSE_COLUMNS(name, filter, type)                                                                            \
    KERNEL(J2K_SLICES_GROUP)                                                                                           \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL const u8 *RESTRICT slices, GLOBAL u32 *planes, GLOBAL u32 *most_word) \
    {                                                                                                                  \
        GLOBAL const struct j2k_work_slices *v = (GLOBAL const struct j2k_work_slices *)work;                          \
        GLOBAL const u32 *slot = work + sizeof *v / sizeof *work;                                                      \
        const u32 at = group_index() * J2K_SLICES_GROUP + local_index();                                               \
        if (at >= v->width * v->height)                                                                                \
            return;                                                                                                    \
        const u32 to = at / v->width * v->pitch + at % v->width;                                                       \
        u32 rows = v->slices, n = 0, most = 0;                                                                         \
        for (; n < v->levels && rows > 1; n++) {                                                                       \
            ANALYSE_ROWS_##filter(n) rows = (rows + 1) / 2;                                                            \
        }                                                                                                              \
        for (u32 p = 0; p < rows; p++) {                                                                               \
            const type low = TAKE_ROW(type, n, p);                                                                     \
            const u32 magnitude = magnitude_of_##type(low);                                                            \
            planes[PLANE_PLACE(n, p)] = row_bits_of_##type(low);                                                       \
            most = magnitude > most ? magnitude : most;                                                                \
        }                                                                                                              \
        atomic_greatest(most_word, most);                                                                              \
    }

ANALYSE_COLUMNS(analyse_columns_53, 53, i32)
ANALYSE_COLUMNS(analyse_columns_97, 97, float)
