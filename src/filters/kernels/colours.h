/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes colours: picks channels, combines colours by a matrix, and looks them up in tables, as filters/cpu/colours.c
 * and lut.c do.
 */
#include "filters/kernels/record.h"

enum { MATRIX_WORDS = 9 /* weights; three addends of two words follow */, MATRIX_BITS = 16 };

/* value: the channel of the source for each channel of the result. */
KERNEL(FILTER_GROUP_ITEMS)
filter_pick(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = own_column(&tile);
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS)
        for (u32 c = 0; c < record->to_channels; c++)
            store_sample(target_pixel(record, to, x, y), c, record->to_bytes,
                load_sample(source_pixel(record, from, x, y), (u32)record->value[c], record->bytes));
}

/* Return a channel's sum; the table has weights in units of 2^−16, and the number that is added. */
FUNCTION u32 matrix_sum(GLOBAL const u32 *table, u32 channel, const u32 *sample, u32 greatest)
{
    GLOBAL const u32 *added = table + MATRIX_WORDS + 2 * channel;
    i64 sum = (i64)((u64)added[1] << 32 | added[0]) + (1 << (MATRIX_BITS - 1));
    for (u32 k = 0; k < 3; k++)
        sum += (i64)(i32)table[3 * channel + k] * (i64)sample[k];
    if (sum < 0)
        return 0;
    sum >>= MATRIX_BITS;
    return sum < (i64)greatest ? (u32)sum : greatest;
}

/* Load the three colours of a pixel; what is above the greatest value counts as that. */
FUNCTION void load_colours(GLOBAL const u8 *source, u32 bytes, u32 greatest, u32 *sample)
{
    for (u32 c = 0; c < 3; c++)
        sample[c] = smaller(load_sample(source, c, bytes), greatest);
}

/* value: offset of the matrix. */
KERNEL(FILTER_GROUP_ITEMS)
filter_matrix(FILTER_ARGUMENTS)
{
    u32 group, sample[3];
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *table = work + record->value[0];
    u32 x = own_column(&tile), greatest = record->greatest;
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL const u8 *source = source_pixel(record, from, x, y);
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        load_colours(source, record->bytes, greatest, sample);
        for (u32 c = 0; c < 3; c++)
            store_sample(target, c, record->to_bytes, matrix_sum(table, c, sample, greatest));
        if (record->channels > 3)
            store_sample(target, 3, record->to_bytes, smaller(load_sample(source, 3, record->bytes), greatest));
    }
}

/* value: offset of the matrix, and the sum that becomes the result, which is a plane. */
KERNEL(FILTER_GROUP_ITEMS)
filter_matrix_plane(FILTER_ARGUMENTS)
{
    u32 group, sample[3];
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *table = work + record->value[0];
    u32 x = own_column(&tile), greatest = record->greatest;
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        load_colours(source_pixel(record, from, x, y), record->bytes, greatest, sample);
        store_sample(target_pixel(record, to, x, y), 0, record->to_bytes,
            matrix_sum(table, (u32)record->value[1], sample, greatest));
    }
}

/*
 * Describes a cell of a table: its point nearest to 0, the steps to the neighbours of that point, and the position of a
 * colour within the cell.
 */
struct lut_corner {
    GLOBAL const u32 *point;
    u32 step[3], part[3];
};

/* Return a colour of a point, whose first word holds red and green, and whose second word holds blue. */
FUNCTION u32 lut_colour(GLOBAL const u32 *point, u32 colour)
{
    return colour == 2 ? point[1] : point[0] >> (16 * colour) & 65535;
}

/* Return one of three values, without indexing, so that the values stay in registers. */
FUNCTION u32 lut_pick(const u32 *values, u32 which)
{
    return which == 0 ? values[0] : which == 1 ? values[1] : values[2];
}

FUNCTION void mix_tetrahedral(const struct lut_corner *cell, u32 *made)
{
    /* Order the sides by how far the colour lies along them; of equal ones red comes first, then green. */
    u32 r = cell->part[0], g = cell->part[1], b = cell->part[2];
    u32 first = r >= g && r >= b ? 0 : g >= b ? 1 : 2, last = b <= r && b <= g ? 2 : g <= r ? 1 : 0;
    u32 middle = 3 - first - last, before = 65536;
    GLOBAL const u32 *point = cell->point;
    made[0] = made[1] = made[2] = 32768;
    for (u32 corner = 0; corner < 4; corner++) {
        u32 side = corner == 0 ? first : corner == 1 ? middle : last;
        u32 behind = corner < 3 ? lut_pick(cell->part, side) : 0;
        for (u32 i = 0; i < 3; i++)
            made[i] += lut_colour(point, i) * (before - behind);
        point += corner < 3 ? lut_pick(cell->step, side) : 0;
        before = behind;
    }
    for (u32 i = 0; i < 3; i++)
        made[i] >>= 16;
}

FUNCTION u32 lut_between(u32 a, u32 b, u32 part)
{
    return (a * (65536 - part) + b * part + 32768) >> 16;
}

FUNCTION void mix_trilinear(const struct lut_corner *cell, u32 *made)
{
    for (u32 i = 0; i < 3; i++) {
        u32 plane[2];
        for (u32 b = 0; b < 2; b++) {
            GLOBAL const u32 *low = cell->point + b * cell->step[2], *high = low + cell->step[1];
            plane[b] = lut_between(lut_between(lut_colour(low, i), lut_colour(low + cell->step[0], i), cell->part[0]),
                lut_between(lut_colour(high, i), lut_colour(high + cell->step[0], i), cell->part[0]), cell->part[1]);
        }
        made[i] = lut_between(plane[0], plane[1], cell->part[2]);
    }
}

/*
 * value: offset of the entries of all samples, channel after channel; offset of the points, number of points along a
 * side, whether to interpolate trilinearly, and whether red is the last colour.
 */
KERNEL(FILTER_GROUP_ITEMS)
filter_lut(FILTER_ARGUMENTS)
{
    u32 group, made[3];
    struct lut_corner cell;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *entries = work + record->value[0];
    u32 x = own_column(&tile), greatest = record->greatest;
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL const u8 *source = source_pixel(record, from, x, y);
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        u32 step = 2;
        cell.point = work + record->value[1];
        for (u32 i = 0; i < 3; i++, step *= (u32)record->value[2]) {
            u32 c = record->value[4] ? 2 - i : i;
            u32 place = entries[c * (greatest + 1) + smaller(load_sample(source, c, record->bytes), greatest)];
            cell.part[i] = place & 65535;
            cell.step[i] = cell.part[i] > 0 ? step : 0;
            cell.point += (place >> 16) * step;
        }
        if (record->value[3])
            mix_trilinear(&cell, made);
        else
            mix_tetrahedral(&cell, made);
        for (u32 i = 0; i < 3; i++)
            store_sample(target, record->value[4] ? 2 - i : i, record->to_bytes, (made[i] * greatest + 32767) / 65535);
        if (record->channels > 3)
            store_sample(target, 3, record->to_bytes, smaller(load_sample(source, 3, record->bytes), greatest));
    }
}

/* value: offset of the new samples for all samples, channel after channel. */
KERNEL(FILTER_GROUP_ITEMS)
filter_curves(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *entries = work + record->value[0];
    u32 x = own_column(&tile), greatest = record->greatest;
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS)
        for (u32 c = 0; c < record->channels; c++) {
            u32 sample = smaller(load_sample(source_pixel(record, from, x, y), c, record->bytes), greatest);
            store_sample(target_pixel(record, to, x, y), c, record->to_bytes,
                c < record->colours ? entries[c * (greatest + 1) + sample] : sample);
        }
}
