/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the inverse wavelet transform along z, between the components of a volume (T.801), and its output: offset,
 * rounding, clamping and samples of the caller's type. A work-item has a column, the samples at one place in all
 * slices, and undoes all of its levels. It goes along the column and keeps in registers what the next rows need. The
 * finest level, which has half of all rows, loads its high rows from the buffer of samples and completes slices
 * directly. All other rows lie in the group's memory, where work-items that are neighbours along x use neighbouring
 * words, so that a sample is loaded and stored once; if there are too many rows for that, they are transformed in the
 * buffer of samples. Samples never move: lists say which row of the column has which position of a level. All
 * operations are those of the CPU's code.
 */
#include "kernels/search.h"

#include "j2k/kernels/levels.h"
#include "j2k/kernels/mirror.h"
#include "j2k/kernels/output.h"

/* Pairs of rows, an even one and an odd one, that are loaded before the first of them is used. */
enum { COLUMN_AHEAD = 4 };

/*
 * Says where the samples of a work-item's column lie. If `regular`, its rows follow each other at equal distances in
 * the buffer of samples; otherwise a table says where each lies.
 */
struct column_rows {
    GLOBAL const u32 *table; /* two words for each row: place of the tile's first sample, and pitch */
    u32 x, y;
    u32 regular, at, step; /* place of the first row, and distance from one row to the next */
    u32 narrow, kept;      /* as in struct j2k_work_columns */
};

/* Says where a work-item's slices go, and how samples are made. */
struct column_slices {
    GLOBAL u8 *to;
    GLOBAL const struct j2k_work_slice *slice;
    u64 pitch;
    u32 skip, count; /* rows of the finest level in front of the first slice, and number of slices */
    u32 depth, is_signed, bytes, numbers;
    float scale, add;
};

/* Return where a row's sample lies, even if the rows are not regular. */
FUNCTION u32 place_of_row(const struct column_rows *rows, u32 row)
{
    return rows->table[2 * row] + rows->y * rows->table[2 * row + 1] + rows->x;
}

/* Return the samples of a buffer as a type; only integers may have 16 bits. */
FUNCTION float take_float(GLOBAL const u32 *samples, u32 at, u32 narrow)
{
    (void)narrow;
    return float_of(samples[at]);
}

FUNCTION i32 take_i32(GLOBAL const u32 *samples, u32 at, u32 narrow)
{
    return (i32)take_sample(samples, at, narrow);
}

/* The rows of a column in the group's memory, in the buffer of samples, and there if they are regular. */
#define GET_column(type, row) column[(row)*J2K_COLUMN_GROUP + local_index()]
#define PUT_column(type, row, value) column[(row)*J2K_COLUMN_GROUP + local_index()] = (value)
#define GET_plane(type, row) take_##type(samples, place_of_row(&rows, row), rows.narrow)
#define PUT_plane(type, row, value) samples[place_of_row(&rows, row)] = bits_of_##type(value)
#define GET_regular(type, row) take_##type(samples, rows.at + (row)*rows.step, rows.narrow)

/*
 * Process the next two rows of a column, an even one and an odd one. `left` says how many rows the level has from the
 * even one on; 0 or less: it ended −left rows before. *even and *odd become the two rows that these complete. Behind
 * its end the level is mirrored, and the missing values are ones that have been computed before (F.3.7).
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

/*
 * Undo the next COLUMN_AHEAD pairs of a level from an even position `i` on, and call `put` for each row that is
 * completed, with its position and its place in the column. `lows` and `highs` say where the rows lie. `inside` is a
 * constant that says whether these pairs, and the rows that they complete, lie in the level. All rows are loaded before
 * the first one is put in place.
 */
#define UNDO_PAIRS(filter, type, lows, highs, inside, put)                                                             \
    {                                                                                                                  \
        type low[COLUMN_AHEAD], high[COLUMN_AHEAD];                                                                    \
        UNROLL for (i32 k = 0; k < COLUMN_AHEAD; k++) pair[2 + k] = list[J2K_PAIRS_ABOVE + (i + odd) / 2 + k];         \
        UNROLL for (i32 k = 0; k < COLUMN_AHEAD; k++) high[k] = GET_##highs(type, pair[2 + k] >> 16);                  \
        UNROLL for (i32 k = 0; k < COLUMN_AHEAD; k++) low[k] = GET_##lows(type, pair[2 + k] & 0xffff);                 \
        UNROLL for (i32 k = 0; k < COLUMN_AHEAD; k++)                                                                  \
        {                                                                                                              \
            const i32 done = i + 2 * k - DELAY_##filter;                                                               \
            rise_##filter(&state, (inside) ? 2 : length - i - 2 * k, &low[k], &high[k]);                               \
            if ((inside) || (done >= 0 && done < length))                                                              \
                put(type, done, pair[2 + k - (DELAY_##filter + 1) / 2] >> 16, low[k]);                                 \
            if ((inside) || (done + 1 >= 0 && done + 1 < length))                                                      \
                put(type, done + 1, pair[2 + k - (DELAY_##filter - 1) / 2] & 0xffff, high[k]);                         \
        }                                                                                                              \
        pair[0] = pair[COLUMN_AHEAD];                                                                                  \
        pair[1] = pair[COLUMN_AHEAD + 1];                                                                              \
    }

/* Undo a level, if it has more than one row. */
#define UNDO_ROWS(filter, type, lows, highs, put)                                                                      \
    {                                                                                                                  \
        struct column_##filter state = {0};                                                                            \
        u32 pair[COLUMN_AHEAD + 2] = {0};                                                                              \
        ROLL for (i32 i = -ABOVE_##filter - odd; length > 1 && i - DELAY_##filter < length; i += 2 * COLUMN_AHEAD)     \
        {                                                                                                              \
            if (i >= DELAY_##filter && i + 2 * COLUMN_AHEAD <= length)                                                 \
                UNDO_PAIRS(filter, type, lows, highs, 1, put)                                                          \
            else                                                                                                       \
                UNDO_PAIRS(filter, type, lows, highs, 0, put)                                                          \
        }                                                                                                              \
    }

#define PUT_IN_column(type, position, row, value) PUT_column(type, row, value)
#define PUT_IN_plane(type, position, row, value) PUT_plane(type, row, value)

/* Undo a level in place. */
#define UNDO_LEVEL(filter, type, where, level)                                                                         \
    {                                                                                                                  \
        GLOBAL const u32 *list = work + (level)->row;                                                                  \
        const i32 length = (i32)(level)->rows, odd = (i32)(level)->odd;                                                \
        const u32 only = list[J2K_PAIRS_ABOVE] >> 16;                                                                  \
        if (length == 1 && odd)                                                                                        \
            PUT_##where(type, only, half_of_##type(GET_##where(type, only)));                                          \
        UNDO_ROWS(filter, type, where, where, PUT_IN_##where)                                                          \
    }

/* Undo the finest level. Its high rows are in the buffer of samples, and are the last ones of the column. */
#define UNDO_FINEST(filter, type, where, level)                                                                        \
    {                                                                                                                  \
        GLOBAL const u32 *list = work + (level)->row;                                                                  \
        const i32 length = (i32)(level)->rows, odd = (i32)(level)->odd;                                                \
        if (length == 1) {                                                                                             \
            const u32 pair = list[J2K_PAIRS_ABOVE];                                                                    \
            type only = odd ? half_of_##type(GET_plane(type, pair >> 16)) : GET_##where(type, pair & 0xffff);          \
            PUT_SLICE(type, 0, 0, only);                                                                               \
        }                                                                                                              \
        if (rows.regular)                                                                                              \
            UNDO_ROWS(filter, type, where, regular, PUT_SLICE)                                                         \
        else                                                                                                           \
            UNDO_ROWS(filter, type, where, plane, PUT_SLICE)                                                           \
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
FUNCTION void put_in_slice(const struct column_slices *slices, GLOBAL u8 *to, i32 sample)
{
    const u32 word = slices->numbers ? bits_of((float)sample * slices->scale + slices->add) : (u32)sample;
    if (slices->bytes == 4)
        *(GLOBAL u32 *)(GLOBAL void *)to = word;
    else if (slices->bytes == 2)
        *(GLOBAL u16 *)(GLOBAL void *)to = (u16)word;
    else
        *to = (u8)word;
}

/* Load the rows of a column, except for the high rows of the finest level. */
#define LOAD_column(type)                                                                                              \
    {                                                                                                                  \
        u32 row = 0;                                                                                                   \
        ROLL for (; rows.regular && row + 2 * COLUMN_AHEAD <= rows.kept; row += 2 * COLUMN_AHEAD)                      \
        {                                                                                                              \
            type loaded[2 * COLUMN_AHEAD];                                                                             \
            UNROLL for (u32 i = 0; i < 2 * COLUMN_AHEAD; i++) loaded[i] = GET_regular(type, row + i);                  \
            UNROLL for (u32 i = 0; i < 2 * COLUMN_AHEAD; i++) PUT_column(type, row + i, loaded[i]);                    \
        }                                                                                                              \
        ROLL for (; row < rows.kept; row++) PUT_column(type, row, GET_plane(type, row));                               \
    }
#define LOAD_plane(type)

/* Store a sample of the finest level, if its slice is wanted. */
#define PUT_SLICE(type, position, row, value)                                                                          \
    if ((u32)(position)-slices.skip < slices.count)                                                                    \
    put_in_slice(&slices, slices.to + slices.pitch * ((u32)(position)-slices.skip),                                    \
        finish_##type(value, slices.slice[(u32)(position)-slices.skip].offset, slices.depth, slices.is_signed))

/* Store the samples of rows that are slices already. */
#define COPY_SLICES(type)                                                                                              \
    ROLL for (u32 s = 0; s < slices.count; s += COLUMN_AHEAD)                                                          \
    {                                                                                                                  \
        type loaded[COLUMN_AHEAD];                                                                                     \
        UNROLL for (u32 i = 0; i < COLUMN_AHEAD; i++) loaded[i] =                                                      \
            GET_plane(type, slices.slice[s + i < slices.count ? s + i : slices.count - 1].row);                        \
        UNROLL for (u32 i = 0; i < COLUMN_AHEAD; i++) PUT_SLICE(type, s + i, 0, loaded[i]);                            \
    }

FUNCTION struct column_rows rows_of(
    GLOBAL const struct j2k_work_columns *columns, GLOBAL const u32 *table, u32 x, u32 y)
{
    struct column_rows rows;
    rows.table = table;
    rows.x = x;
    rows.y = y;
    rows.narrow = columns->narrow;
    rows.kept = columns->kept;
    rows.regular = columns->regular;
    rows.at = place_of_row(&rows, 0);
    rows.step = columns->step;
    return rows;
}

FUNCTION struct column_slices slices_of(
    GLOBAL const struct j2k_work_columns *columns, GLOBAL const u32 *work, GLOBAL u8 *to)
{
    struct column_slices slices;
    slices.to = to;
    slices.slice = (GLOBAL const struct j2k_work_slice *)(work + columns->slice);
    slices.pitch = (u64)columns->slice_pitch[1] << 32 | columns->slice_pitch[0];
    slices.skip = columns->skip;
    slices.count = columns->slices;
    slices.depth = columns->depth;
    slices.is_signed = columns->is_signed;
    slices.bytes = columns->bytes;
    slices.numbers = columns->numbers;
    slices.scale = float_of(columns->scale);
    slices.add = float_of(columns->add);
    return slices;
}

/*
 * Define a kernel for samples of a type. `room` declares the group's memory for columns that lie there. The contents of
 * a record are loaded in front of the loops, in which they would otherwise be loaded again for each sample.
 */
#define UNDO_COLUMNS(name, filter, type, where, room)                                                                  \
    KERNEL(J2K_COLUMN_GROUP)                                                                                           \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, GLOBAL u8 *RESTRICT pixels, u32 first_group, u32 count, \
        u32 first)                                                                                                     \
    {                                                                                                                  \
        room GLOBAL const u32 *groups = work + first_group;                                                            \
        const u32 index = find_owner(groups, count, group_index());                                                    \
        GLOBAL const struct j2k_work_columns *columns =                                                                \
            (GLOBAL const struct j2k_work_columns *)(work + first) + index;                                            \
        const u32 at = (group_index() - groups[index]) * J2K_COLUMN_GROUP + local_index();                             \
        if (at >= columns->width * columns->height)                                                                    \
            return;                                                                                                    \
        const u32 x = at % columns->width, y = at / columns->width, levels = columns->levels;                          \
        const struct column_rows rows = rows_of(columns, work + columns->from, x, y);                                  \
        const struct column_slices slices = slices_of(columns, work, column_at(columns, pixels, x, y));                \
        GLOBAL const struct j2k_work_z_level *level = (GLOBAL const struct j2k_work_z_level *)(work + columns->level); \
        LOAD_##where(type) for (u32 n = 0; n + 1 < levels; n++)                                                        \
            UNDO_LEVEL(filter, type, where, level + n) if (levels > 0)                                                 \
        {                                                                                                              \
            UNDO_FINEST(filter, type, where, level + levels - 1)                                                       \
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
