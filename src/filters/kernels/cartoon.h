/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a smooth picture with few tones and black lines, as filters/cpu/cartoon.c does. */
#include "filters/kernels/points.h"

enum { CARTOON_LEVELS = 3, CARTOON_LINE }; /* indices of values; those before belong to luminance */

/*
 * Return whether a pen on an edge, a square `line` pixels wide, covers a pixel. The edges lie in intermediate memory.
 */
FUNCTION u32 is_on_line(GLOBAL const struct filter_record *record, GLOBAL const u8 *edges, u32 x, u32 y)
{
    i32 line = record->value[CARTOON_LINE], left = (i32)x - line / 2, top = (i32)y - line / 2;
    u32 found = 0;
    for (i32 j = top < 0 ? 0 : top; j < top + line && j < (i32)record->height; j++)
        for (i32 i = left < 0 ? 0 : left; i < left + line && i < (i32)record->width; i++)
            found |= edges[(u64)(u32)j * record->extra_pitch + (u32)i];
    return found;
}

/* Return the number to add to a luminance to get its level. */
FUNCTION i32 rise_to_level(GLOBAL const struct filter_record *record, u32 luminance)
{
    u32 levels = (u32)record->value[CARTOON_LEVELS], greatest = record->greatest;
    u32 level = luminance * levels / (greatest + 1);
    return (i32)((level * greatest * 2 + levels - 1) / ((levels - 1) * 2)) - (i32)luminance;
}

/* value: the weights of luminance; levels; the width of a line. */
KERNEL(FILTER_GROUP_ITEMS)
filter_cartoon(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u8 *edges = source_at(extra, place_of(record->extra));
    u32 x = own_column(&tile);
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL const u8 *source = source_pixel(record, from, x, y);
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        i32 rise = rise_to_level(record, smaller(luminance_of(record, source), record->greatest));
        u32 dark = is_on_line(record, edges, x, y);
        for (u32 c = 0; c < record->colours; c++) {
            i32 value = held_in((i32)source[c] + rise, (i32)record->greatest + 1);
            target[c] = (u8)(dark ? 0 : value);
        }
        if (record->channels > record->colours)
            target[record->colours] = source[record->colours];
    }
}
