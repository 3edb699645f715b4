/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carries out multiple component transforms of any stages (T.801 Annex J) for the columns of a volume. A work-item has
 * a column, and follows a list of steps that the host wrote (enum j2k_work_step). The rows of a column are those of the
 * coded components, which stay as they are, and behind them two sets of rows for the components that stages make by
 * turns; all are in the buffer of samples, where neighbours along x are neighbours in memory. All operations are those
 * of the CPU's code.
 */
#include "j2k/kernels/columns.h"

/* Says where the rows of a work-item's column lie. */
struct stage_column {
    GLOBAL u32 *samples;
    GLOBAL const u32 *table; /* for each coded component: place of the tile's first sample, and pitch */
    u32 x, y, coded;
    u32 made, area; /* place of the column's first row behind the coded ones, and distance between these rows */
};

FUNCTION GLOBAL u32 *stage_row(const struct stage_column *c, u32 row)
{
    const u32 coded = row < c->coded ? row : 0;
    const u32 plane = c->table[2 * coded] + c->y * c->table[2 * coded + 1] + c->x;
    return c->samples + (row < c->coded ? plane : c->made + (row - c->coded) * c->area);
}

FUNCTION float stage_real(const struct stage_column *c, u32 row)
{
    return float_of(*stage_row(c, row));
}

/* Copy rows, of which integers perhaps become numbers. Each function returns where the next step begins. */
FUNCTION GLOBAL const u32 *copy_rows(const struct stage_column *c, GLOBAL const u32 *step, u32 convert)
{
    const u32 count = *step++;
    ROLL for (u32 i = 0; i < count; i++, step += 2)
    {
        const u32 word = *stage_row(c, step[0]);
        *stage_row(c, step[1]) = convert ? bits_of((float)(i32)word) : word;
    }
    return step;
}

FUNCTION GLOBAL const u32 *multiply_rows(const struct stage_column *c, GLOBAL const u32 *step)
{
    const u32 taken = step[0], made = step[1];
    GLOBAL const u32 *in = step + 2, *out = in + taken, *value = out + made;
    ROLL for (u32 i = 0; i < made; i++)
    {
        float sum = 0.0f;
        ROLL for (u32 k = 0; k < taken; k++, value++)
        {
            const u32 word = *stage_row(c, in[k] & ~J2K_STEP_FLAG);
            const float from = in[k] & J2K_STEP_FLAG ? (float)(i32)word : float_of(word);
            sum = sum + float_of(*value) * from;
        }
        *stage_row(c, out[i]) = bits_of(sum);
    }
    return value;
}

FUNCTION GLOBAL const u32 *predict_reals(const struct stage_column *c, GLOBAL const u32 *step)
{
    const u32 count = *step;
    GLOBAL const u32 *row = step + 1, *offset = row + count, *value = offset + count;
    ROLL for (u32 i = 0; i < count; i++)
    {
        float sum = stage_real(c, row[i]) + float_of(offset[i]);
        ROLL for (u32 k = 0; k < i; k++, value++) sum = sum + float_of(*value) * stage_real(c, row[k]);
        *stage_row(c, row[i]) = bits_of(sum);
    }
    return value;
}

/* Return the sum of products of rows and factors, without row `left_out`. */
FUNCTION u64 sum_of_rows(
    const struct stage_column *c, GLOBAL const u32 *row, GLOBAL const u32 *factor, u32 count, u32 left_out)
{
    u64 sum = 0;
    ROLL for (u32 k = 0; k < count; k++)
    {
        const u64 from = (u64)(i64)(i32)*stage_row(c, row[k]), times = (u64)(i64)(i32)factor[k];
        sum += k == left_out ? 0 : from * times;
    }
    return sum;
}

/* Divide a sum by 2^shift, rounded to the nearest integer. */
FUNCTION u32 rounded_quotient(u64 sum, u32 shift)
{
    return (u32)((i64)(sum + (((u64)1 << shift) >> 1)) >> shift);
}

FUNCTION GLOBAL const u32 *predict_integers(const struct stage_column *c, GLOBAL const u32 *step)
{
    const u32 count = *step;
    GLOBAL const u32 *row = step + 1, *offset = row + count, *value = offset + count;
    ROLL for (u32 i = 0; i < count; i++)
    {
        u32 made = *stage_row(c, row[i]) + offset[i];
        if (i > 0) {
            made += rounded_quotient(sum_of_rows(c, row, value, i, i), value[i]);
            value += i + 1;
        }
        *stage_row(c, row[i]) = made;
    }
    return value;
}

FUNCTION GLOBAL const u32 *undo_steps(const struct stage_column *c, GLOBAL const u32 *step)
{
    const u32 count = *step;
    GLOBAL const u32 *row = step + 1, *value = row + count;
    ROLL for (u32 i = 0; i <= count; i++, value += count)
    {
        const u32 target = i < count ? count - 1 - i : count - 1;
        *stage_row(c, row[target]) -= rounded_quotient(sum_of_rows(c, row, value, count, target), value[target]);
    }
    return value;
}

FUNCTION GLOBAL const u32 *add_offsets(const struct stage_column *c, GLOBAL const u32 *step, u32 real)
{
    const u32 count = *step++;
    ROLL for (u32 i = 0; i < count; i++, step += 2)
    {
        GLOBAL u32 *row = stage_row(c, step[0]);
        *row = real ? bits_of(float_of(*row) + float_of(step[1])) : *row + step[1];
    }
    return step;
}

/* Describes a level of a wavelet: its rows in the order of their positions, at least two. */
struct stage_level {
    GLOBAL const u32 *row;
    u32 count, odd; /* `odd`: the first row is at an odd position */
};

/* Return the row in front of row i of the level, or behind it, mirrored at the ends (F.3.7). */
FUNCTION u32 row_before(const struct stage_level *level, u32 i)
{
    return level->row[i > 0 ? i - 1 : 1];
}

FUNCTION u32 row_behind(const struct stage_level *level, u32 i)
{
    return level->row[i + 1 < level->count ? i + 1 : level->count - 2];
}

FUNCTION void lift_integers(const struct stage_column *c, const struct stage_level *level, u32 odd)
{
    ROLL for (u32 i = odd ^ level->odd; i < level->count; i += 2)
    {
        const i32 before = (i32)*stage_row(c, row_before(level, i)), behind = (i32)*stage_row(c, row_behind(level, i));
        GLOBAL u32 *row = stage_row(c, level->row[i]);
        *row = (u32)(odd ? lift_odd((i32)*row, before, behind) : lift_even((i32)*row, before, behind));
    }
}

FUNCTION void lift_reals(const struct stage_column *c, const struct stage_level *level, u32 odd, float factor)
{
    ROLL for (u32 i = odd ^ level->odd; i < level->count; i += 2)
    {
        const float sum = stage_real(c, row_before(level, i)) + stage_real(c, row_behind(level, i));
        *stage_row(c, level->row[i]) = bits_of(stage_real(c, level->row[i]) - factor * sum);
    }
}

FUNCTION void scale_reals(const struct stage_column *c, const struct stage_level *level)
{
    ROLL for (u32 i = 0; i < level->count; i++)
    {
        const float factor = ((i ^ level->odd) & 1) == 0 ? J2K_DWT_SCALE : J2K_DWT_INVERSE_SCALE;
        *stage_row(c, level->row[i]) = bits_of(factor * stage_real(c, level->row[i]));
    }
}

FUNCTION void undo_reals(const struct stage_column *c, const struct stage_level *level)
{
    scale_reals(c, level);
    lift_reals(c, level, 0, J2K_DWT_DELTA);
    lift_reals(c, level, 1, J2K_DWT_GAMMA);
    lift_reals(c, level, 0, J2K_DWT_BETA);
    lift_reals(c, level, 1, J2K_DWT_ALPHA);
}

/* Undo a level. A single row is at an odd position, and is halved. */
FUNCTION GLOBAL const u32 *undo_stage_level(const struct stage_column *c, GLOBAL const u32 *step, u32 real)
{
    struct stage_level level;
    level.count = step[0];
    level.odd = step[1];
    level.row = step + 2;
    GLOBAL u32 *first = stage_row(c, level.row[0]);
    if (level.count == 1) {
        *first = real ? bits_of(half_of_float(float_of(*first))) : (u32)half_of_i32((i32)*first);
    } else if (real) {
        undo_reals(c, &level);
    } else {
        lift_integers(c, &level, 0);
        lift_integers(c, &level, 1);
    }
    return level.row + level.count;
}

/* Carry out a step, and return the next one. */
FUNCTION GLOBAL const u32 *carry_out_step(const struct stage_column *c, GLOBAL const u32 *step)
{
    const u32 kind = *step++;
    switch (kind) {
    case J2K_STEP_COPY:
    case J2K_STEP_CONVERT:
        return copy_rows(c, step, kind == J2K_STEP_CONVERT);
    case J2K_STEP_MULTIPLY:
        return multiply_rows(c, step);
    case J2K_STEP_PREDICT_REALS:
        return predict_reals(c, step);
    case J2K_STEP_PREDICT_INTEGERS:
        return predict_integers(c, step);
    case J2K_STEP_UNDO:
        return undo_steps(c, step);
    case J2K_STEP_ADD_REALS:
    case J2K_STEP_ADD_INTEGERS:
        return add_offsets(c, step, kind == J2K_STEP_ADD_REALS);
    default:
        return undo_stage_level(c, step, kind == J2K_STEP_LEVEL_97);
    }
}

KERNEL(J2K_COLUMN_GROUP)
undo_stages(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, GLOBAL u8 *RESTRICT pixels, u32 first_group,
    u32 count, u32 first)
{
    GLOBAL const u32 *groups = work + first_group;
    const u32 index = find_owner(groups, count, group_index());
    GLOBAL const struct j2k_work_columns *columns = (GLOBAL const struct j2k_work_columns *)(work + first) + index;
    const u32 at = (group_index() - groups[index]) * J2K_COLUMN_GROUP + local_index();
    if (at >= columns->width * columns->height)
        return;
    struct stage_column c;
    c.samples = samples;
    c.table = work + columns->from;
    c.x = at % columns->width;
    c.y = at / columns->width;
    c.coded = columns->rows;
    c.made = columns->kept + at;
    c.area = columns->width * columns->height;
    const struct column_slices slices = slices_of(columns, work, column_at(columns, pixels, c.x, c.y));
    GLOBAL const u32 *step = work + columns->level;
    while (*step != J2K_STEP_END)
        step = carry_out_step(&c, step);
    ROLL for (u32 s = 0; s < slices.count; s++)
    {
        const u32 row = slices.slice[s].row, offset = slices.slice[s].offset;
        const u32 word = *stage_row(&c, row & (J2K_SLICE_ROWS - 1));
        const u32 depth = row >> J2K_SLICE_DEPTH & 31, is_signed = (row & J2K_SLICE_SIGNED) != 0;
        put_in_slice(&slices, slices.to + slices.pitch * s,
            row & J2K_STEP_FLAG ? finish_float(float_of(word), offset, depth, is_signed)
                                : finish_i32((i32)word, offset, depth, is_signed));
    }
}
