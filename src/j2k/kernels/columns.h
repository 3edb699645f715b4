/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the inverse wavelet along z, between the components of a volume (T.801), together with its output: offset,
 * rounding, clamping and samples of the caller's type. A work-item has a column, the samples at one place in all
 * slices, and undoes all levels of it. It goes along the column and keeps in registers what the next rows need. The
 * finest level, which has half of all rows, takes its high rows from where they lie and completes slices at once. All
 * other rows lie in the group's memory, where neighbours along x take neighbouring words, so that a sample is loaded
 * and stored once; rows that are too many for that are transformed where they are loaded from. Samples never move:
 * lists say which row of the column has which position of a level. All operations are those of the CPU's code.
 */
#include "kernels/search.h"

#include "j2k/kernels/levels.h"
#include "j2k/kernels/mirror.h"
#include "j2k/kernels/output.h"

/* High rows of the finest level that are loaded before the first of them is used. */
enum { COLUMN_AHEAD = 4 };

/* The rows of a column in the group's memory, and in the buffer of samples. */
#define GET_column(type, row) column[(row)*J2K_COLUMN_GROUP + local_index()]
#define PUT_column(type, row, value) column[(row)*J2K_COLUMN_GROUP + local_index()] = (value)
#define GET_plane(type, row) type##_of(take_sample(samples, from[2 * (row)] + y * from[2 * (row) + 1] + x, narrow))
#define PUT_plane(type, row, value) samples[from[2 * (row)] + y * from[2 * (row) + 1] + x] = bits_of_##type(value)

/* Return an index of a list, or its last one. */
FUNCTION u32 index_or_last(u32 index, u32 count)
{
    return index < count ? index : count - 1;
}

/*
 * Take the next two rows of a column, an even one and an odd one, of which `left` are rows of the level; none of them
 * if it is negative, and then it says how many rows ago the level ended. They become the two rows that are completed by
 * them. Behind its end the level is mirrored: what is missing has been computed before (F.3.7).
 */
FUNCTION void rise_53(struct column_53 *column, i32 left, i32 *even, i32 *odd)
{
    const i32 next = left > 1 ? *odd : column->odd;
    const i32 first = left > 0 ? lift_even(*even, column->odd, next) : column->even;
    *even = lift_odd(column->odd, column->even, first);
    *odd = first;
    column->odd = next;
    column->even = first;
}

FUNCTION void rise_97(struct column_97 *column, i32 left, float *even, float *odd)
{
    const float next = left > 1 ? J2K_DWT_INVERSE_SCALE * *odd : column->odd;
    const float first = left > 0 ? LIFT_DELTA(J2K_DWT_SCALE * *even, column->odd, next) : column->even;
    const float second = left >= 0 ? LIFT_GAMMA(column->odd, column->even, first) : column->second_odd;
    const float third = left >= -1 ? LIFT_BETA(column->even, column->second_odd, second) : column->second_even;
    *even = LIFT_ALPHA(column->second_odd, column->second_even, third);
    *odd = third;
    column->odd = next;
    column->even = first;
    column->second_odd = second;
    column->second_even = third;
}

/* Halve the only row of a level, which is at an odd position (F.3.6). */
FUNCTION i32 half_of_i32(i32 x)
{
    return x >> 1;
}

FUNCTION float half_of_float(float x)
{
    return 0.5f * x;
}

/* Undo a level in place. */
#define UNDO_LEVEL(filter, type, where, level)                                                                         \
    {                                                                                                                  \
        GLOBAL const u32 *row = work + (level)->row;                                                                   \
        const i32 rows = (i32)(level)->rows, odd = (i32)(level)->odd;                                                  \
        struct column_##filter state = {0};                                                                            \
        if (rows == 1 && odd)                                                                                          \
            PUT_##where(type, row[0], half_of_##type(GET_##where(type, row[0])));                                      \
        for (i32 i = -ABOVE_##filter - odd; rows > 1 && i - DELAY_##filter < rows; i += 2) {                           \
            const i32 done = i - DELAY_##filter;                                                                       \
            type low = GET_##where(type, row[mirror(i, 0, rows)]),                                                     \
                 high = GET_##where(type, row[mirror(i + 1, 0, rows)]);                                                \
            rise_##filter(&state, rows - i, &low, &high);                                                              \
            if (done >= 0)                                                                                             \
                PUT_##where(type, row[done], low);                                                                     \
            if (done >= -1 && done + 1 < rows)                                                                         \
                PUT_##where(type, row[done + 1], high);                                                                \
        }                                                                                                              \
    }

/*
 * Undo the next rows of the finest level, COLUMN_AHEAD pairs from an even position `i` on, and give `put` each row that
 * is completed, with its number. `inside` is a constant that says whether they are all rows of the level; its high rows
 * follow each other in the column, behind those that it keeps.
 */
#define UNDO_PAIRS(filter, type, where, inside, put)                                                                   \
    {                                                                                                                  \
        type high[COLUMN_AHEAD];                                                                                       \
        UNROLL for (i32 k = 0; k < COLUMN_AHEAD; k++)                                                                  \
        {                                                                                                              \
            const u32 high_row =                                                                                       \
                (inside) ? columns->kept + (u32)((i + odd) / 2 + k) : row[mirror(i + 2 * k + 1, 0, rows)];             \
            high[k] = GET_plane(type, high_row);                                                                       \
        }                                                                                                              \
        UNROLL for (i32 k = 0; k < COLUMN_AHEAD; k++)                                                                  \
        {                                                                                                              \
            const u32 low_row = row[(inside) ? i + 2 * k : mirror(i + 2 * k, 0, rows)];                                \
            type low = GET_##where(type, low_row);                                                                     \
            rise_##filter(&state, (inside) ? 2 : rows - i - 2 * k, &low, &high[k]);                                    \
            put(type, i + 2 * k - DELAY_##filter, low) put(type, i + 2 * k - DELAY_##filter + 1, high[k])              \
        }                                                                                                              \
    }

/* Undo the finest level, whose high rows are in the buffer of samples, the last of the column's. */
#define UNDO_FINEST(filter, type, where, level, put)                                                                   \
    {                                                                                                                  \
        GLOBAL const u32 *row = work + (level)->row;                                                                   \
        const i32 rows = (i32)(level)->rows, odd = (i32)(level)->odd;                                                  \
        struct column_##filter state = {0};                                                                            \
        if (rows == 1) {                                                                                               \
            type only = odd ? half_of_##type(GET_plane(type, row[0])) : GET_##where(type, row[0]);                     \
            put(type, 0, only)                                                                                         \
        }                                                                                                              \
        ROLL for (i32 i = -ABOVE_##filter - odd; rows > 1 && i - DELAY_##filter < rows; i += 2 * COLUMN_AHEAD)         \
        {                                                                                                              \
            if (i >= 0 && i + 2 * COLUMN_AHEAD <= rows)                                                                \
                UNDO_PAIRS(filter, type, where, 1, put)                                                                \
            else                                                                                                       \
                UNDO_PAIRS(filter, type, where, 0, put)                                                                \
        }                                                                                                              \
    }

FUNCTION i32 finish_i32(i32 from, u32 offset, u32 depth, u32 is_signed)
{
    return finish_integer((i32)((u32)from + offset), depth, is_signed);
}

FUNCTION i32 finish_float(float from, u32 offset, u32 depth, u32 is_signed)
{
    return finish_real(from + float_of(offset), depth, is_signed);
}

/* Return where a column's sample in the first slice goes. */
FUNCTION GLOBAL u8 *column_at(GLOBAL const struct j2k_work_columns *columns, GLOBAL u8 *pixels, u32 x, u32 y)
{
    u64 at = (u64)columns->to[1] << 32 | columns->to[0];
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

/* Load the rows of a column that are not the finest level's high ones. */
#define LOAD_column(type)                                                                                              \
    ROLL for (u32 k = 0; k < columns->kept; k += 2 * COLUMN_AHEAD)                                                     \
    {                                                                                                                  \
        type loaded[2 * COLUMN_AHEAD];                                                                                 \
        UNROLL for (u32 i = 0; i < 2 * COLUMN_AHEAD; i++) loaded[i] =                                                  \
            GET_plane(type, index_or_last(k + i, columns->kept));                                                      \
        UNROLL for (u32 i = 0; i < 2 * COLUMN_AHEAD; i++)                                                              \
            PUT_column(type, index_or_last(k + i, columns->kept), loaded[i]);                                          \
    }
#define LOAD_plane(type)

/* Store a sample of the finest level, if its slice is wanted. */
#define PUT_SLICE(type, row, value)                                                                                    \
    {                                                                                                                  \
        const u32 shown = (u32)(row)-columns->skip;                                                                    \
        if (shown < columns->slices)                                                                                   \
            put_in_slice(columns, to + slice_pitch * shown,                                                            \
                finish_##type(value, slice[shown].offset, columns->depth, columns->is_signed));                        \
    }

/* Store samples of rows that are slices. */
#define COPY_SLICES(type)                                                                                              \
    ROLL for (u32 s = 0; s < columns->slices; s += COLUMN_AHEAD)                                                       \
    {                                                                                                                  \
        type loaded[COLUMN_AHEAD];                                                                                     \
        UNROLL for (u32 i = 0; i < COLUMN_AHEAD; i++) loaded[i] =                                                      \
            GET_plane(type, slice[index_or_last(s + i, columns->slices)].row);                                         \
        UNROLL for (u32 i = 0; i < COLUMN_AHEAD; i++) PUT_SLICE(type, s + i, loaded[i])                                \
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
        const u32 x = at % columns->width, y = at / columns->width, narrow = columns->narrow;                          \
        GLOBAL const struct j2k_work_slice *slice = (GLOBAL const struct j2k_work_slice *)(work + columns->slice);     \
        GLOBAL const struct j2k_work_z_level *level = (GLOBAL const struct j2k_work_z_level *)(work + columns->level); \
        GLOBAL u8 *to = column_at(columns, pixels, x, y);                                                              \
        const u64 slice_pitch = (u64)columns->slice_pitch[1] << 32 | columns->slice_pitch[0];                          \
        LOAD_##where(type) for (u32 n = 0; n + 1 < columns->levels; n++)                                               \
            UNDO_LEVEL(filter, type, where, level + n) if (columns->levels > 0)                                        \
        {                                                                                                              \
            UNDO_FINEST(filter, type, where, level + columns->levels - 1, PUT_SLICE)                                   \
        }                                                                                                              \
        else                                                                                                           \
        {                                                                                                              \
            COPY_SLICES(type)                                                                                          \
        }                                                                                                              \
    }

#define ROOM(type, rows) SHARED type column[(rows)*J2K_COLUMN_GROUP];

UNDO_COLUMNS(undo_columns_53, 53, i32, column, ROOM(i32, J2K_COLUMN_ROWS))
UNDO_COLUMNS(undo_columns_53_more, 53, i32, column, ROOM(i32, J2K_COLUMN_MORE))
UNDO_COLUMNS(undo_columns_53_deep, 53, i32, plane, )
UNDO_COLUMNS(undo_columns_97, 97, float, column, ROOM(float, J2K_COLUMN_ROWS))
UNDO_COLUMNS(undo_columns_97_more, 97, float, column, ROOM(float, J2K_COLUMN_MORE))
UNDO_COLUMNS(undo_columns_97_deep, 97, float, plane, )
