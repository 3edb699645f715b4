/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the slices of volumes, and computes the forward wavelet transform along z, between slices (T.801). A work-item
 * has a column, the samples at one place in all slices, and goes along it once for each level. It keeps in registers
 * what the next rows need. A row lies where its coefficients end up, so that levels are transformed in place, except
 * that the finest one reads slices. Levels begin at even positions. All operations are those of the CPU's code.
 */
#include "kernels/search.h"

#include "j2k/kernels/analysis.h"
#include "j2k/kernels/encode_work.h"
#include "j2k/kernels/intake.h"

/* Groups that a multiprocessor should hold: this leaves a work-item 40 registers, with which nothing is spilled. */
enum { SLICES_RESIDENT = 24 };

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

/* Return the magnitude of a coefficient in whole numbers; that of a negative integer x counts as −x − 1. */
FUNCTION u32 magnitude_of_i32(i32 x)
{
    return (u32)(x < 0 ? ~x : x);
}

FUNCTION u32 magnitude_of_float(float x)
{
    const float magnitude = x < 0.0f ? -x : x;
    return magnitude < 2147483000.0f ? (u32)magnitude : 0x7FFFFFFFu;
}

/*
 * Describes a column: the place of its sample in slice 0, and the first slices, plus 1, whose samples cannot be coded;
 * 0: none.
 */
struct slices_column {
    GLOBAL const u8 *from;
    u32 infinite, too_far;
};

/* Round to the nearest whole number, and ties to even; from 2^23 on, all numbers are whole. */
FUNCTION float nearest_whole(float x)
{
    const float magnitude = x < 0.0f ? -x : x;
    const float whole = magnitude < 8388608.0f ? (magnitude + 8388608.0f) - 8388608.0f : magnitude;
    return x < 0.0f ? -whole : whole;
}

/* Convert a number to an integer: round((x − add) × inverse), clamped to the depth. The operations have this order. */
FUNCTION i32 integer_of_number(const struct j2k_work_slices *v, u32 bits, u32 z, struct slices_column *column)
{
    const float most = 536870912.0f, x = float_of(bits), add = float_of(v->add), error = float_of(v->error);
    float whole = nearest_whole((x - add) * float_of(v->inverse));
    if ((bits & 0x7F800000u) == 0x7F800000u) {
        column->infinite = column->infinite == 0 ? z + 1 : column->infinite;
        return 0;
    }
    whole = whole < -most ? -most : whole;
    whole = whole > most ? most : whole;
    const i32 moved = v->is_signed ? 0 : (i32)(1u << (v->depth - 1));
    const i32 value = shift_sample((i32)whole, v->depth, v->is_signed) + moved;
    const float back = (float)value * float_of(v->scale) + add, apart = x < back ? back - x : x - back;
    if (error > 0.0f && !(apart <= error))
        column->too_far = column->too_far == 0 ? z + 1 : column->too_far;
    return value;
}

/* Load the sample in slice z. */
FUNCTION u32 load_slice(const struct j2k_work_slices *v, u32 z, const struct slices_column *column)
{
    GLOBAL const u8 *from = column->from + (u64)z * ((u64)v->slice[1] << 32 | v->slice[0]);
    if (v->bytes == 4)
        return *(GLOBAL const u32 *)(GLOBAL const void *)from;
    if (v->bytes == 2 && v->is_signed)
        return (u32)(i32) * (GLOBAL const i16 *)(GLOBAL const void *)from;
    if (v->bytes == 2)
        return *(GLOBAL const u16 *)(GLOBAL const void *)from;
    if (v->is_signed)
        return (u32)(i32) * (GLOBAL const signed char *)from;
    return *from;
}

/* Return the sample that was loaded from slice z, as an integer, clamped to its depth and level-shifted. */
FUNCTION i32 take_slice(const struct j2k_work_slices *v, u32 loaded, u32 z, struct slices_column *column)
{
    return shift_sample(v->numbers ? integer_of_number(v, loaded, z, column) : (i32)loaded, v->depth, v->is_signed);
}

/* Return where a column begins. */
FUNCTION GLOBAL const u8 *column_at(const struct j2k_work_slices *v, GLOBAL const u8 *slices, u32 x, u32 y)
{
    const u64 offset = ((u64)v->from[1] << 32 | v->from[0]) + (u64)y * v->row + (u64)x * v->bytes;
#if defined(__CUDACC__)
    if (v->absolute)
        return (const u8 *)offset;
#endif
    return slices + offset;
}

/* Note the first slice of a column that cannot be coded, unless a sample that comes earlier in the volume was noted. */
FUNCTION void note_sample(const struct j2k_work_slices *v, GLOBAL u32 *to, u32 z, u32 at)
{
    if (z > 0)
        atomic_greatest(to, ~((z - 1) * v->width * v->height + at));
}

/*
 * Access the row of level n at position p. Rows are loaded before the ones in front of them are transformed, and are
 * converted to samples only when it is their turn.
 */
#define PLANE_PLACE(n, p) (slot[(p) << (n)] * v.step + to)
#define LOAD_ROW(n, p) ((n) == 0 ? load_slice(&v, p, &column) : planes[PLANE_PLACE(n, p)])
#define ROW_OF(type, n, p, loaded) ((n) == 0 ? (type)take_slice(&v, loaded, p, &column) : row_of_##type(loaded))
#define TAKE_ROW(type, n, p) ROW_OF(type, n, p, LOAD_ROW(n, p))
#define ROW_OR_LAST(p) ((p) < rows ? (p) : rows - 1)
#define PUT_LOW(type, n, k, value) planes[PLANE_PLACE(n, 2 * (k))] = row_bits_of_##type(value);
#define PUT_HIGH(type, n, k, value)                                                                                    \
    {                                                                                                                  \
        const type high_row = value;                                                                                   \
        const u32 magnitude = magnitude_of_##type(high_row);                                                           \
        planes[PLANE_PLACE(n, 2 * (k) + 1)] = row_bits_of_##type(high_row);                                            \
        most = magnitude > most ? magnitude : most;                                                                    \
    }

/*
 * Transform a level of at least two rows. At an end, a row that lacks a neighbour uses its other one twice (F.4.7).
 * Each pair is loaded while the one in front of it is transformed.
 */
#define FIRST_PAIR(n) u32 loaded_odd = LOAD_ROW(n, 1), loaded_next = LOAD_ROW(n, ROW_OR_LAST(2));
#define TAKE_PAIR(type, n, k)                                                                                          \
    const u32 own_odd = loaded_odd, own_next = loaded_next;                                                            \
    loaded_odd = LOAD_ROW(n, ROW_OR_LAST(2 * (k) + 3));                                                                \
    loaded_next = LOAD_ROW(n, ROW_OR_LAST(2 * (k) + 4));                                                               \
    const type odd = ROW_OF(type, n, 2 * (k) + 1, own_odd),                                                            \
               next = 2 * (k) + 2 < rows ? ROW_OF(type, n, 2 * (k) + 2, own_next) : even;

#define ANALYSE_ROWS_53(n)                                                                                             \
    {                                                                                                                  \
        i32 even = TAKE_ROW(i32, n, 0), high = 0;                                                                      \
        FIRST_PAIR(n)                                                                                                  \
        ROLL for (u32 k = 0; k < rows / 2; k++)                                                                        \
        {                                                                                                              \
            TAKE_PAIR(i32, n, k)                                                                                       \
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
        FIRST_PAIR(n)                                                                                                  \
        ROLL for (u32 k = 0; k <= pairs; k++)                                                                          \
        {                                                                                                              \
            float new_odd1 = odd1, new_even1 = even1;                                                                  \
            if (k < pairs) {                                                                                           \
                TAKE_PAIR(float, n, k)                                                                                 \
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

/*
 * Define a kernel for samples of a type. It transforms `count` volumes; `list` is the offset of their first
 * work-groups, and `first` that of their records. `found` has a struct j2k_work_found_slices for each volume. A record
 * is copied, so that it is not loaded again for each sample.
 */
#define ANALYSE_COLUMNS(name, filter, type)                                                                            \
    DENSE_KERNEL(J2K_SLICES_GROUP, SLICES_RESIDENT)                                                                    \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL const u8 *RESTRICT slices, GLOBAL u32 *planes, GLOBAL u32 *found,     \
        u32 list, u32 count, u32 first)                                                                                \
    {                                                                                                                  \
        const u32 index = find_owner(work + list, count, group_index());                                               \
        const struct j2k_work_slices v = ((GLOBAL const struct j2k_work_slices *)(work + first))[index];               \
        GLOBAL const u32 *slot = work + v.slot;                                                                        \
        const u32 at = (group_index() - work[list + index]) * J2K_SLICES_GROUP + local_index();                        \
        if (at >= v.width * v.height)                                                                                  \
            return;                                                                                                    \
        const u32 x = at % v.width, y = at / v.width, to = v.to + y * v.pitch + x;                                     \
        struct slices_column column = {column_at(&v, slices, x, y), 0, 0};                                             \
        u32 rows = v.slices, n = 0, most = 0;                                                                          \
        for (; n < v.levels && rows > 1; n++) {                                                                        \
            ANALYSE_ROWS_##filter(n) rows = (rows + 1) / 2;                                                            \
        }                                                                                                              \
        for (u32 p = 0; p < rows; p++) {                                                                               \
            const type low = TAKE_ROW(type, n, p);                                                                     \
            const u32 magnitude = magnitude_of_##type(low);                                                            \
            planes[PLANE_PLACE(n, p)] = row_bits_of_##type(low);                                                       \
            most = magnitude > most ? magnitude : most;                                                                \
        }                                                                                                              \
        atomic_greatest(found + v.found, most);                                                                        \
        note_sample(&v, found + v.found + 1, column.infinite, at);                                                     \
        note_sample(&v, found + v.found + 2, column.too_far, at);                                                      \
    }

ANALYSE_COLUMNS(analyse_columns_53, 53, i32)
ANALYSE_COLUMNS(analyse_columns_97, 97, float)
