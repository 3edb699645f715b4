/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves pixels without changing them, and changes each sample independently. */
#include "kernels/dots.h"

#include "filters/kernels/record.h"

/*
 * Copy pixel (x, y) from the source's pixel (value[0] + x × value[2] + y × value[4], value[1] + x × value[3] + y ×
 * value[5]).
 */
KERNEL(FILTER_GROUP_ITEMS)
filter_move(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = own_column(&tile), length = record->channels * record->bytes;
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        i32 column = record->value[0] + (i32)x * record->value[2] + (i32)y * record->value[4];
        i32 row = record->value[1] + (i32)x * record->value[3] + (i32)y * record->value[5];
        GLOBAL const u8 *source = source_pixel(record, from, (u32)column, (u32)row);
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        for (u32 i = 0; i < length; i++)
            target[i] = source[i];
    }
}

/* Compute the luminance of a pixel; value[0] to value[2] are the weights of the three colours, in units of 2^−15. */
FUNCTION u32 luminance_of(GLOBAL const struct filter_record *record, GLOBAL const u8 *pixel)
{
    u32 bytes = record->bytes, first = load_sample(pixel, 0, bytes);
    if (record->colours == 1)
        return first;
    return (first * (u32)record->value[0] + load_sample(pixel, 1, bytes) * (u32)record->value[1] +
               load_sample(pixel, 2, bytes) * (u32)record->value[2] + (1u << 14)) >>
           15;
}

/* Copy channel value[0] of the source to channel value[1] of the result, unchanged. */
KERNEL(FILTER_GROUP_ITEMS)
filter_channel(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = own_column(&tile);
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS)
        store_sample(target_pixel(record, to, x, y), (u32)record->value[1], record->to_bytes,
            load_sample(source_pixel(record, from, x, y), (u32)record->value[0], record->bytes));
}

/* Return the luminances of four neighbouring pixels of bytes in a word; `at` is the first pixel's column. */
FUNCTION u32 luminances_of(
    GLOBAL const struct filter_record *record, GLOBAL const u8 *from, u32 at, u32 y, const u32 channels)
{
    u32 word[4], pixel[4], light[4];
    u32 pair = (u32)record->value[0] | (u32)record->value[1] << 16, last = (u32)record->value[2];
    u64 row = place_of(record->from) + (u64)y * record->from_pitch;
    load_quad(from, row, at * channels, record->width * channels, channels, word);
    pixel[0] = word[0];
    pixel[1] = channels == 3 ? shift_pair(word[0], word[1], 24) : word[1];
    pixel[2] = channels == 3 ? shift_pair(word[1], word[2], 16) : word[2];
    pixel[3] = channels == 3 ? word[2] >> 8 : word[3];
    UNROLL for (u32 i = 0; i < 4; i++) light[i] =
        dot_halves_low(pair, pixel[i], dot_halves_high(last, pixel[i], 1u << 14)) >> 15;
    return pick_bytes(pick_bytes(light[0], light[1], 0x0040), pick_bytes(light[2], light[3], 0x0040), 0x5410);
}

/* Make grey of colours of bytes, four pixels of a row in each work-item. */
KERNEL(FILTER_GROUP_ITEMS)
filter_grey(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = tile.left + local_index() % (FILTER_TILE / 4) * 4, y = tile.top + local_index() / (FILTER_TILE / 4);
    (void)extra;
    if (x >= tile.right || y >= tile.bottom)
        return;
    u32 word = record->channels == 3 ? luminances_of(record, from, x, y, 3) : luminances_of(record, from, x, y, 4);
    store_word(target_pixel(record, to, 0, y), x, record->width, word);
}

/* Make grey of colours of more than 8 bits, and copy grey. */
KERNEL(FILTER_GROUP_ITEMS)
filter_wide_grey(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = own_column(&tile);
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS)
        store_sample(target_pixel(record, to, x, y), 0, record->to_bytes,
            luminance_of(record, source_pixel(record, from, x, y)));
}

/* Follow a line from (value[1], value[3]) to (value[2], value[4]); products are below 2^32. */
FUNCTION u32 on_line(GLOBAL const struct filter_record *record, u32 sample)
{
    u32 black = (u32)record->value[1], white = (u32)record->value[2];
    u32 lowest = (u32)record->value[3], highest = (u32)record->value[4], run = white - black;
    if (sample <= black)
        return lowest;
    if (sample >= white)
        return highest;
    u32 rise = highest > lowest ? highest - lowest : lowest - highest;
    rise = (rise * (sample - black) + run / 2) / run;
    return highest > lowest ? lowest + rise : lowest - rise;
}

/* Change a sample as value[0] says (enum filter_curve_kind); `table` is for FILTER_LOOKED_UP. */
FUNCTION u32 on_curve(GLOBAL const struct filter_record *record, GLOBAL const u32 *table, u32 sample)
{
    switch (record->value[0]) {
    case FILTER_INVERTED:
        return record->greatest - sample;
    case FILTER_ABOVE:
        return sample > (u32)record->value[1] ? record->greatest : 0;
    case FILTER_ON_LINE:
        return on_line(record, sample);
    case FILTER_RESCALED:
        return (sample * record->to_greatest + record->greatest / 2) / record->greatest;
    default:
        return table[sample];
    }
}

/* Change all samples by a curve; alpha is changed only by scaling to another depth. */
KERNEL(FILTER_GROUP_ITEMS)
filter_curve(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = own_column(&tile), changed = record->value[0] == FILTER_RESCALED ? record->channels : record->colours;
    GLOBAL const u32 *table = extra_words(record, extra) + FILTER_BINS;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL const u8 *source = source_pixel(record, from, x, y);
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        for (u32 c = 0; c < record->channels; c++) {
            u32 sample = smaller(load_sample(source, c, record->bytes), record->greatest);
            store_sample(target, c, record->to_bytes, c < changed ? on_curve(record, table, sample) : sample);
        }
    }
}
