/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the inverse wavelet along z, between the components of a volume (T.801), together with its output: offset,
 * rounding, clamping and samples of the caller's type. A work-item has a column, the samples at one place in all
 * slices, and undoes all levels of it. It goes along the column and keeps in registers what the next rows need. The
 * finest level, which has half of all rows, takes its high rows from where they lie and completes slices at once. All
 * other rows lie in the group's memory, where neighbours along x take neighbouring words, so that a sample is loaded
 * and stored once; rows that are too many for that are transformed where they are loaded from. Samples never move:
 * lists say which row of the column has which position of a level. Where all places are even, a work-item has two
 * neighbouring columns, and finds its way in lists and memory once for both. All operations are those of the CPU's
 * code.
 */
#include "kernels/search.h"

#include "j2k/kernels/levels.h"
#include "j2k/kernels/mirror.h"
#include "j2k/kernels/output.h"

/* High rows of the finest level that are loaded before the first of them is used. */
enum { COLUMN_AHEAD = 4 };

/*
 * Samples of a row that neighbouring columns have, in the group's memory and in the buffer of samples; `abreast` is the
 * number of columns of a work-item, a constant. Only a single column is stored in the buffer.
 */
#define GET_column(type, row, abreast, to)                                                                             \
    UNROLL for (u32 c = 0; c < (abreast); c++)(to)[c] = column[COLUMN_PLACE(row, abreast, c)];
#define PUT_column(type, row, abreast, value)                                                                          \
    UNROLL for (u32 c = 0; c < (abreast); c++) column[COLUMN_PLACE(row, abreast, c)] = (value)[c];
#define COLUMN_PLACE(row, abreast, c) ((row)*J2K_COLUMN_GROUP + (c) * (J2K_COLUMN_GROUP / (abreast)) + local_index())
#define GET_plane(type, row, abreast, to)                                                                              \
    {                                                                                                                  \
        u32 taken[abreast];                                                                                            \
        take_columns(samples, from[2 * (row)] + y * from[2 * (row) + 1] + x, narrow, abreast, taken);                  \
        UNROLL for (u32 c = 0; c < (abreast); c++)(to)[c] = type##_of(taken[c]);                                       \
    }
#define PUT_plane(type, row, abreast, value)                                                                           \
    samples[from[2 * (row)] + y * from[2 * (row) + 1] + x] = bits_of_##type((value)[0]);

/* Load the samples of one column, or of two, which then begin at an even place. */
FUNCTION void take_columns(GLOBAL const u32 *samples, u32 at, u32 narrow, u32 abreast, u32 *value)
{
    if (abreast == 1) {
        value[0] = take_sample(samples, at, narrow);
    } else if (narrow) {
        const u32 word = samples[at / 2];
        value[0] = (u32)(i32)(i16)word;
        value[1] = (u32)((i32)word >> 16);
    } else {
        const u32x2 words = ((GLOBAL const u32x2 *)(GLOBAL const void *)samples)[at / 2];
        value[0] = words.x;
        value[1] = words.y;
    }
}

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
#define UNDO_LEVEL(filter, type, where, abreast, level)                                                                \
    {                                                                                                                  \
        GLOBAL const u32 *row = work + (level)->row;                                                                   \
        const i32 rows = (i32)(level)->rows, odd = (i32)(level)->odd;                                                  \
        const struct column_##filter zero = {0};                                                                       \
        struct column_##filter state[abreast];                                                                         \
        type low[abreast], high[abreast];                                                                              \
        UNROLL for (u32 c = 0; c < (abreast); c++) state[c] = zero;                                                    \
        if (rows == 1 && odd) {                                                                                        \
            GET_##where(type, row[0], abreast, low);                                                                   \
            UNROLL for (u32 c = 0; c < (abreast); c++) low[c] = half_of_##type(low[c]);                                \
            PUT_##where(type, row[0], abreast, low);                                                                   \
        }                                                                                                              \
        for (i32 i = -ABOVE_##filter - odd; rows > 1 && i - DELAY_##filter < rows; i += 2) {                           \
            const i32 done = i - DELAY_##filter;                                                                       \
            GET_##where(type, row[mirror(i, 0, rows)], abreast, low);                                                  \
            GET_##where(type, row[mirror(i + 1, 0, rows)], abreast, high);                                             \
            UNROLL for (u32 c = 0; c < (abreast); c++) rise_##filter(&state[c], rows - i, &low[c], &high[c]);          \
            if (done >= 0) {                                                                                           \
                PUT_##where(type, row[done], abreast, low);                                                            \
            }                                                                                                          \
            if (done >= -1 && done + 1 < rows) {                                                                       \
                PUT_##where(type, row[done + 1], abreast, high);                                                       \
            }                                                                                                          \
        }                                                                                                              \
    }

/*
 * Undo the next rows of the finest level, COLUMN_AHEAD pairs from an even position `i` on, and give `put` each row that
 * is completed, with its number. `inside` is a constant that says whether they are all rows of the level; its high rows
 * follow each other in the column, behind those that it keeps.
 */
#define UNDO_PAIRS(filter, type, where, abreast, inside, put)                                                          \
    {                                                                                                                  \
        type high[COLUMN_AHEAD][abreast];                                                                              \
        UNROLL for (i32 k = 0; k < COLUMN_AHEAD; k++)                                                                  \
        {                                                                                                              \
            const u32 high_row =                                                                                       \
                (inside) ? columns->kept + (u32)((i + odd) / 2 + k) : row[mirror(i + 2 * k + 1, 0, rows)];             \
            GET_plane(type, high_row, abreast, high[k]);                                                               \
        }                                                                                                              \
        UNROLL for (i32 k = 0; k < COLUMN_AHEAD; k++)                                                                  \
        {                                                                                                              \
            const u32 low_row = row[(inside) ? i + 2 * k : mirror(i + 2 * k, 0, rows)];                                \
            type low[abreast];                                                                                         \
            GET_##where(type, low_row, abreast, low);                                                                  \
            UNROLL for (u32 c = 0; c < (abreast); c++)                                                                 \
                rise_##filter(&state[c], (inside) ? 2 : rows - i - 2 * k, &low[c], &high[k][c]);                       \
            put(type, abreast, i + 2 * k - DELAY_##filter, low);                                                       \
            put(type, abreast, i + 2 * k - DELAY_##filter + 1, high[k]);                                               \
        }                                                                                                              \
    }

/* Undo the finest level, whose high rows are in the buffer of samples, the last of the column's. */
#define UNDO_FINEST(filter, type, where, abreast, level, put)                                                          \
    {                                                                                                                  \
        GLOBAL const u32 *row = work + (level)->row;                                                                   \
        const i32 rows = (i32)(level)->rows, odd = (i32)(level)->odd;                                                  \
        const struct column_##filter zero = {0};                                                                       \
        struct column_##filter state[abreast];                                                                         \
        UNROLL for (u32 c = 0; c < (abreast); c++) state[c] = zero;                                                    \
        if (rows == 1) {                                                                                               \
            type only[abreast];                                                                                        \
            if (odd) {                                                                                                 \
                GET_plane(type, row[0], abreast, only);                                                                \
            } else {                                                                                                   \
                GET_##where(type, row[0], abreast, only);                                                              \
            }                                                                                                          \
            UNROLL for (u32 c = 0; c < (abreast); c++) only[c] = odd ? half_of_##type(only[c]) : only[c];              \
            put(type, abreast, 0, only);                                                                               \
        }                                                                                                              \
        ROLL for (i32 i = -ABOVE_##filter - odd; rows > 1 && i - DELAY_##filter < rows; i += 2 * COLUMN_AHEAD)         \
        {                                                                                                              \
            if (i >= 0 && i + 2 * COLUMN_AHEAD <= rows)                                                                \
                UNDO_PAIRS(filter, type, where, abreast, 1, put)                                                       \
            else                                                                                                       \
                UNDO_PAIRS(filter, type, where, abreast, 0, put)                                                       \
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

/* Return the bits of a sample of a volume: an integer's or a number's. */
FUNCTION u32 bits_in_slice(GLOBAL const struct j2k_work_columns *columns, i32 sample)
{
    if (columns->numbers)
        return bits_of((float)sample * float_of(columns->scale) + float_of(columns->add));
    return (u32)sample;
}

/* Store the samples of a slice that one column has, or two. */
FUNCTION void put_in_slice(GLOBAL const struct j2k_work_columns *columns, GLOBAL u8 *to, u32 abreast, const i32 *sample)
{
    const u32 bytes = columns->bytes, first = bits_in_slice(columns, sample[0]);
    if (abreast == 1) {
        if (bytes == 2)
            *(GLOBAL u16 *)(GLOBAL void *)to = (u16)first;
        else if (bytes == 4)
            *(GLOBAL u32 *)(GLOBAL void *)to = first;
        else
            *to = (u8)first;
        return;
    }
    const u32 second = bits_in_slice(columns, sample[abreast - 1]);
    if (bytes == 2)
        *(GLOBAL u32 *)(GLOBAL void *)to = join_halves(first, second);
    else if (bytes == 4)
        *(GLOBAL u32x2 *)(GLOBAL void *)to = make_u32x2(first, second);
    else
        *(GLOBAL u16 *)(GLOBAL void *)to = (u16)((first & 255) | (second & 255) << 8);
}

/* Load the rows of a column that are not the finest level's high ones. */
#define LOAD_column(type, abreast)                                                                                     \
    ROLL for (u32 k = 0; k < columns->kept; k += 2 * COLUMN_AHEAD)                                                     \
    {                                                                                                                  \
        type loaded[2 * COLUMN_AHEAD][abreast];                                                                        \
        UNROLL for (u32 i = 0; i < 2 * COLUMN_AHEAD; i++)                                                              \
            GET_plane(type, index_or_last(k + i, columns->kept), abreast, loaded[i]);                                  \
        UNROLL for (u32 i = 0; i < 2 * COLUMN_AHEAD; i++)                                                              \
        {                                                                                                              \
            PUT_column(type, index_or_last(k + i, columns->kept), abreast, loaded[i]);                                 \
        }                                                                                                              \
    }
#define LOAD_plane(type, abreast)

/* Store samples of the finest level, if their slice is wanted. */
#define PUT_SLICE(type, abreast, row, value)                                                                           \
    {                                                                                                                  \
        const u32 shown = (u32)(row)-columns->skip;                                                                    \
        if (shown < columns->slices) {                                                                                 \
            i32 sample[abreast];                                                                                       \
            UNROLL for (u32 c = 0; c < (abreast); c++) sample[c] =                                                     \
                finish_##type((value)[c], slice[shown].offset, columns->depth, columns->is_signed);                    \
            put_in_slice(columns, to + slice_pitch * shown, abreast, sample);                                          \
        }                                                                                                              \
    }

/* Store samples of rows that are slices. */
#define COPY_SLICES(type, abreast)                                                                                     \
    ROLL for (u32 s = 0; s < columns->slices; s += COLUMN_AHEAD)                                                       \
    {                                                                                                                  \
        type loaded[COLUMN_AHEAD][abreast];                                                                            \
        UNROLL for (u32 i = 0; i < COLUMN_AHEAD; i++)                                                                  \
            GET_plane(type, slice[index_or_last(s + i, columns->slices)].row, abreast, loaded[i]);                     \
        UNROLL for (u32 i = 0; i < COLUMN_AHEAD; i++) PUT_SLICE(type, abreast, s + i, loaded[i])                       \
    }

/*
 * Defines a kernel for samples of a type, whose work-items have `abreast` columns each. `room`: the group's memory for
 * columns that lie there.
 */
#define UNDO_COLUMNS(name, filter, type, where, abreast, room)                                                         \
    KERNEL(J2K_COLUMN_GROUP / (abreast))                                                                               \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, GLOBAL u8 *RESTRICT pixels, u32 list, u32 count,        \
        u32 first)                                                                                                     \
    {                                                                                                                  \
        room GLOBAL const u32 *groups = work + list;                                                                   \
        const u32 index = find_owner(groups, count, group_index());                                                    \
        GLOBAL const struct j2k_work_columns *columns =                                                                \
            (GLOBAL const struct j2k_work_columns *)(work + first) + index;                                            \
        GLOBAL const u32 *from = work + columns->from;                                                                 \
        const u32 at = (group_index() - groups[index]) * J2K_COLUMN_GROUP + (abreast)*local_index();                   \
        if (at >= columns->width * columns->height)                                                                    \
            return;                                                                                                    \
        const u32 x = at % columns->width, y = at / columns->width, narrow = columns->narrow;                          \
        GLOBAL const struct j2k_work_slice *slice = (GLOBAL const struct j2k_work_slice *)(work + columns->slice);     \
        GLOBAL const struct j2k_work_z_level *level = (GLOBAL const struct j2k_work_z_level *)(work + columns->level); \
        GLOBAL u8 *to = column_at(columns, pixels, x, y);                                                              \
        const u64 slice_pitch = (u64)columns->slice_pitch[1] << 32 | columns->slice_pitch[0];                          \
        LOAD_##where(type, abreast) for (u32 n = 0; n + 1 < columns->levels; n++)                                      \
            UNDO_LEVEL(filter, type, where, abreast, level + n) if (columns->levels > 0)                               \
        {                                                                                                              \
            UNDO_FINEST(filter, type, where, abreast, level + columns->levels - 1, PUT_SLICE)                          \
        }                                                                                                              \
        else                                                                                                           \
        {                                                                                                              \
            COPY_SLICES(type, abreast)                                                                                 \
        }                                                                                                              \
    }

#define ROOM(type, rows) SHARED type column[(rows)*J2K_COLUMN_GROUP];

UNDO_COLUMNS(undo_columns_53, 53, i32, column, 1, ROOM(i32, J2K_COLUMN_ROWS))
UNDO_COLUMNS(undo_columns_53_more, 53, i32, column, 1, ROOM(i32, J2K_COLUMN_MORE))
UNDO_COLUMNS(undo_columns_53_deep, 53, i32, plane, 1, )
UNDO_COLUMNS(undo_columns_53_two, 53, i32, column, 2, ROOM(i32, J2K_COLUMN_ROWS))
UNDO_COLUMNS(undo_columns_53_two_more, 53, i32, column, 2, ROOM(i32, J2K_COLUMN_MORE))
UNDO_COLUMNS(undo_columns_97, 97, float, column, 1, ROOM(float, J2K_COLUMN_ROWS))
UNDO_COLUMNS(undo_columns_97_more, 97, float, column, 1, ROOM(float, J2K_COLUMN_MORE))
UNDO_COLUMNS(undo_columns_97_deep, 97, float, plane, 1, )
UNDO_COLUMNS(undo_columns_97_two, 97, float, column, 2, ROOM(float, J2K_COLUMN_ROWS))
UNDO_COLUMNS(undo_columns_97_two_more, 97, float, column, 2, ROOM(float, J2K_COLUMN_MORE))
