/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a work-group's record, and the samples that it reads and writes. */
#include "kernels/place.h"
#include "kernels/quads.h"
#include "kernels/search.h"

#include "filters/kernels/work.h"

/*
 * The arguments of all kernels of filters: the work; the source, the result and the intermediate memory; the offsets of
 * the list and the records in the work; and the number of records.
 */
#define FILTER_ARGUMENTS                                                                                               \
    GLOBAL const u32 *work, GLOBAL const u8 *from, GLOBAL u8 *to, GLOBAL u8 *extra, u32 list, u32 records, u32 count

/* Describes a tile of the result: its upper left pixel, and its right and lower end. */
struct filter_tile {
    u32 left, top, right, bottom;
};

/*
 * Return the record that the work-group belongs to, of `count` records whose first work-groups are listed; *group
 * receives the work-group's index within the record.
 */
FUNCTION GLOBAL const struct filter_record *find_record(
    GLOBAL const u32 *work, u32 list, u32 records, u32 count, u32 *group)
{
    u32 index = find_owner(work + list, count, group_index());
    *group = group_index() - work[list + index];
    return (GLOBAL const struct filter_record *)(work + records) + index;
}

FUNCTION u32 smaller(u32 a, u32 b)
{
    return a < b ? a : b;
}

FUNCTION u32 magnitude_of(i32 value)
{
    return (u32)(value < 0 ? -value : value);
}

FUNCTION i32 held_in(i32 value, i32 count)
{
    return value < 0 ? 0 : value >= count ? count - 1 : value;
}

/* Return the index, from 0 to count − 1, that replaces an index outside that range, mirrored at the outermost pixel. */
FUNCTION i32 mirrored(i32 index, i32 count)
{
    i32 last = count - 1;
    if (last == 0)
        return 0;
    index = index < 0 ? -index : index;
    index = index > last ? index % (2 * last) : index;
    return index > last ? 2 * last - index : index;
}

/* Return a tile that has `rows` rows, where tiles have FILTER_TILE columns. */
FUNCTION struct filter_tile tile_of_rows(GLOBAL const struct filter_record *record, u32 group, u32 rows)
{
    struct filter_tile tile;
    tile.left = group % record->groups_of_row * FILTER_TILE;
    tile.top = group / record->groups_of_row * rows;
    tile.right = smaller(tile.left + FILTER_TILE, record->width);
    tile.bottom = smaller(tile.top + rows, record->height);
    return tile;
}

FUNCTION struct filter_tile tile_of(GLOBAL const struct filter_record *record, u32 group)
{
    return tile_of_rows(record, group, FILTER_TILE);
}

/* Return the column that a work-item makes, and the first of its rows; the others follow by FILTER_TILE_ROWS. */
FUNCTION u32 own_column(const struct filter_tile *tile)
{
    return tile->left + local_index() % FILTER_TILE;
}

FUNCTION u32 own_row(const struct filter_tile *tile)
{
    return tile->top + local_index() / FILTER_TILE;
}

FUNCTION GLOBAL const u8 *source_pixel(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, u32 x, u32 y)
{
    return source_at(
        from, place_of(record->from) + (u64)y * record->from_pitch + (u64)x * (record->channels * record->bytes));
}

FUNCTION GLOBAL u8 *target_pixel(GLOBAL const struct filter_record *record, GLOBAL u8 *to, u32 x, u32 y)
{
    return target_at(
        to, place_of(record->to) + (u64)y * record->to_pitch + (u64)x * (record->to_channels * record->to_bytes));
}

/* Return the colours of a pixel, of 8 bits, in one word, the first in the lowest byte. */
FUNCTION u32 packed_pixel(GLOBAL const u8 *pixel, u32 colours)
{
    u32 value = pixel[0];
    if (colours == 3)
        value |= (u32)pixel[1] << 8 | (u32)pixel[2] << 16;
    return value;
}

FUNCTION u32 load_sample(GLOBAL const u8 *pixel, u32 index, u32 bytes)
{
    return bytes == 1 ? pixel[index] : ((GLOBAL const u16 *)(GLOBAL const void *)pixel)[index];
}

FUNCTION void store_sample(GLOBAL u8 *pixel, u32 index, u32 bytes, u32 value)
{
    if (bytes == 1)
        pixel[index] = (u8)value;
    else
        ((GLOBAL u16 *)(GLOBAL void *)pixel)[index] = (u16)value;
}

/*
 * Store a tile of bytes, whose rows of FILTER_TILE pixels lie one behind the other in `made`, by words where the
 * result's rows are aligned. Whole work-group, after a barrier.
 */
FUNCTION void store_tile(GLOBAL const struct filter_record *record, GLOBAL u8 *to, const struct filter_tile *tile,
    const u32 channels, LOCAL const u32 *made)
{
    enum { LANES_OF_ROW = 8, ROWS = FILTER_GROUP_ITEMS / LANES_OF_ROW };
    const u32 words = FILTER_TILE / 4 * channels;
    u32 length = (tile->right - tile->left) * channels, pitch = record->to_pitch;
    u32 lane = local_index() % LANES_OF_ROW, first = local_index() / LANES_OF_ROW;
    GLOBAL u8 *target = target_pixel(record, to, tile->left, tile->top + first);
    u32 whole = length == 4 * words && is_aligned(target) && pitch % 4 == 0;
    for (u32 row = first; tile->top + row < tile->bottom; row += ROWS) {
        UNROLL for (u32 i = 0; i < channels; i++)
        {
            u32 at = 4 * (lane + i * LANES_OF_ROW), word = made[row * words + at / 4];
            if (whole)
                *(GLOBAL u32 *)(GLOBAL void *)(target + at) = word;
            else
                store_word(target, at, length, word);
        }
        target += (u64)pitch * ROWS;
    }
}

FUNCTION GLOBAL u32 *extra_words(GLOBAL const struct filter_record *record, GLOBAL u8 *extra)
{
    return (GLOBAL u32 *)(GLOBAL void *)target_at(extra, place_of(record->extra));
}
