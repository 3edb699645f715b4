/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the inverse wavelet along z, between the components of a volume (T.801), together with its output: offset,
 * rounding, clamping and samples of the caller's type. A work-item has a column, the samples at one place in all
 * slices, and undoes all levels of it. The column lies in the group's memory, where neighbours along x take
 * neighbouring words, so that a sample is loaded and stored once; columns that are too deep for that are transformed
 * where they are loaded from. Samples never move: lists say which row of the column has which position of a level. All
 * operations are those of the CPU's code.
 */
#include "kernels/search.h"

#include "j2k/kernels/levels.h"
#include "j2k/kernels/output.h"

#define AS_IT_IS(x) (x)
#define TIMES_K(x) (J2K_DWT_SCALE * (x))
#define BY_K(x) (J2K_DWT_INVERSE_SCALE * (x))

/* The rows of a column in the group's memory, and in the buffer of samples. */
#define GET_column(type, row) column[(row)*J2K_COLUMN_GROUP + local_index()]
#define PUT_column(type, row, value) column[(row)*J2K_COLUMN_GROUP + local_index()] = (value)
#define GET_plane(type, row) type##_of(samples[from[2 * (row)] + y * from[2 * (row) + 1] + x])
#define PUT_plane(type, row, value) samples[from[2 * (row)] + y * from[2 * (row) + 1] + x] = bits_of_##type(value)

/*
 * Two lifting steps along a column, from its start to its end: the first changes rows number `begin`, `begin` + 2 and
 * so on, the second those between them. Both take the neighbours on either side, or the only one twice (F.3.7). The
 * expressions are made of `own`, `near` and `far`. Rows of either kind are changed by `in` or `near_in` when they are
 * loaded. There are at least two rows.
 */
#define LIFT_TWICE(type, where, level, begin, in, near_in, first, second)                                              \
    {                                                                                                                  \
        GLOBAL const u32 *row = work + (level)->row;                                                                   \
        const u32 rows = (level)->rows;                                                                                \
        type before = 0, side = 0;                                                                                     \
        if (begin)                                                                                                     \
            side = near_in(GET_##where(type, row[0]));                                                                 \
        for (u32 i = (begin); i < rows; i += 2) {                                                                      \
            type own = in(GET_##where(type, row[i])), far = side, near = side;                                         \
            if (i + 1 < rows)                                                                                          \
                far = near_in(GET_##where(type, row[i + 1]));                                                          \
            if (i == 0)                                                                                                \
                near = far;                                                                                            \
            const type made = (first);                                                                                 \
            PUT_##where(type, row[i], made);                                                                           \
            own = side;                                                                                                \
            side = far;                                                                                                \
            far = made;                                                                                                \
            near = i > 1 ? before : made;                                                                              \
            if (i > 0)                                                                                                 \
                PUT_##where(type, row[i - 1], (second));                                                               \
            before = made;                                                                                             \
        }                                                                                                              \
        if ((rows - (begin)) % 2 == 0) {                                                                               \
            const type own = side, near = before, far = before;                                                        \
            PUT_##where(type, row[rows - 1], (second));                                                                \
        }                                                                                                              \
    }

/* Undo a level. A single row at an odd position is halved (F.3.6). */
#define UNDO_LEVEL_53(type, where, level)                                                                              \
    if ((level)->rows > 1) {                                                                                           \
        LIFT_TWICE(                                                                                                    \
            type, where, level, (level)->odd, AS_IT_IS, AS_IT_IS, lift_even(own, near, far), lift_odd(own, near, far)) \
    } else if ((level)->odd) {                                                                                         \
        const u32 only = work[(level)->row];                                                                           \
        PUT_##where(type, only, GET_##where(type, only) >> 1);                                                         \
    }

#define UNDO_LEVEL_97(type, where, level)                                                                              \
    if ((level)->rows > 1) {                                                                                           \
        LIFT_TWICE(type, where, level, (level)->odd, TIMES_K, BY_K, lift(own, J2K_DWT_DELTA, near, far),               \
            lift(own, J2K_DWT_GAMMA, near, far))                                                                       \
        LIFT_TWICE(type, where, level, (level)->odd, AS_IT_IS, AS_IT_IS, lift(own, J2K_DWT_BETA, near, far),           \
            lift(own, J2K_DWT_ALPHA, near, far))                                                                       \
    } else if ((level)->odd) {                                                                                         \
        const u32 only = work[(level)->row];                                                                           \
        PUT_##where(type, only, 0.5f * GET_##where(type, only));                                                       \
    }

FUNCTION i32 finish_i32(i32 from, u32 offset, u32 depth, u32 is_signed)
{
    return finish_integer((i32)((u32)from + offset), depth, is_signed);
}

FUNCTION i32 finish_float(float from, u32 offset, u32 depth, u32 is_signed)
{
    return finish_real(from + float_of(offset), depth, is_signed);
}

/* Return where a column's sample in a slice goes. */
FUNCTION GLOBAL u8 *slice_at(GLOBAL const struct j2k_work_columns *columns, GLOBAL u8 *pixels, u32 x, u32 y, u32 slice)
{
    u64 at = (u64)columns->to[1] << 32 | columns->to[0];
    at += ((u64)columns->slice_pitch[1] << 32 | columns->slice_pitch[0]) * slice;
    at += (u64)y * columns->pitch + (u64)x * columns->bytes;
#if defined(__CUDACC__)
    if (columns->absolute)
        return (u8 *)at;
#endif
    return pixels + at;
}

/* Store a sample of a slice, as an integer or as a number. */
FUNCTION void put_in_slice(GLOBAL const struct j2k_work_columns *columns, GLOBAL u8 *to, i32 sample)
{
    if (columns->numbers)
        *(GLOBAL float *)(GLOBAL void *)to = (float)sample * float_of(columns->scale) + float_of(columns->add);
    else if (columns->bytes == 2)
        *(GLOBAL u16 *)(GLOBAL void *)to = (u16)sample;
    else if (columns->bytes == 4)
        *(GLOBAL u32 *)(GLOBAL void *)to = (u32)sample;
    else
        *to = (u8)sample;
}

#define LOAD_column(type)                                                                                              \
    for (u32 k = 0; k < columns->rows; k++)                                                                            \
        PUT_column(type, k, type##_of(take_sample(samples, from[2 * k] + y * from[2 * k + 1] + x, columns->narrow)));
#define LOAD_plane(type)

#define STORE_SLICES(type, where)                                                                                      \
    for (u32 k = 0; k < columns->slices; k++) {                                                                        \
        GLOBAL const struct j2k_work_slice *slice = (GLOBAL const struct j2k_work_slice *)(work + columns->slice) + k; \
        i32 sample = finish_##type(GET_##where(type, slice->row), slice->offset, columns->depth, columns->is_signed);  \
        put_in_slice(columns, slice_at(columns, pixels, x, y, k), sample);                                             \
    }

/* Defines a kernel for samples of a type. `room`: the group's memory for columns that lie there. */
#define UNDO_COLUMNS(name, filter, type, where, room)                                                                  \
    KERNEL(J2K_COLUMN_GROUP)                                                                                           \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, GLOBAL u8 *RESTRICT pixels, u32 list, u32 count,        \
        u32 first)                                                                                                     \
    {                                                                                                                  \
        room GLOBAL const u32 *groups = work + list;                                                                   \
        const u32 index = find_owner(groups, count, group_index());                                                    \
        GLOBAL const struct j2k_work_columns *columns =                                                                \
            (GLOBAL const struct j2k_work_columns *)(work + first) + index;                                            \
        GLOBAL const u32 *from = work + columns->from;                                                                 \
        const u32 at = (group_index() - groups[index]) * J2K_COLUMN_GROUP + local_index();                             \
        if (at >= columns->width * columns->height)                                                                    \
            return;                                                                                                    \
        const u32 x = at % columns->width, y = at / columns->width;                                                    \
        LOAD_##where(type) for (u32 n = 0; n < columns->levels; n++)                                                   \
        {                                                                                                              \
            GLOBAL const struct j2k_work_z_level *level =                                                              \
                (GLOBAL const struct j2k_work_z_level *)(work + columns->level) + n;                                   \
            UNDO_LEVEL_##filter(type, where, level)                                                                    \
        }                                                                                                              \
        STORE_SLICES(type, where)                                                                                      \
    }

#define ROOM(type, rows) SHARED type column[(rows)*J2K_COLUMN_GROUP];

UNDO_COLUMNS(undo_columns_53, 53, i32, column, ROOM(i32, J2K_COLUMN_ROWS))
UNDO_COLUMNS(undo_columns_53_more, 53, i32, column, ROOM(i32, J2K_COLUMN_MORE))
UNDO_COLUMNS(undo_columns_53_deep, 53, i32, plane, )
UNDO_COLUMNS(undo_columns_97, 97, float, column, ROOM(float, J2K_COLUMN_ROWS))
UNDO_COLUMNS(undo_columns_97_more, 97, float, column, ROOM(float, J2K_COLUMN_MORE))
UNDO_COLUMNS(undo_columns_97_deep, 97, float, plane, )
