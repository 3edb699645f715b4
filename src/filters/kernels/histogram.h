/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the samples of each channel into rows of words, as filters/cpu/histogram.c does. A record has the size of the
 * source, because the source is divided into tiles.
 */
#include "filters/kernels/record.h"

enum { HISTOGRAM_CHANNELS = 4, HISTOGRAM_BYTE_VALUES = 256 };

FUNCTION GLOBAL u32 *histogram_row(GLOBAL const struct filter_record *record, GLOBAL u8 *to, u32 channel)
{
    return (GLOBAL u32 *)(GLOBAL void *)target_at(to, place_of(record->to) + (u64)channel * record->to_pitch);
}

KERNEL(FILTER_GROUP_ITEMS)
filter_histogram_clear(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    u32 index = group * FILTER_GROUP_ITEMS + local_index();
    (void)from;
    (void)extra;
    for (u32 c = 0; c < record->channels && index <= record->greatest; c++)
        histogram_row(record, to, c)[index] = 0;
}

/* Count the samples of a tile; bytes are counted in local memory first. */
KERNEL(FILTER_GROUP_ITEMS)
filter_histogram(FILTER_ARGUMENTS)
{
    SHARED u32 bins[HISTOGRAM_CHANNELS * HISTOGRAM_BYTE_VALUES];
    u32 group, self = local_index();
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = own_column(&tile);
    (void)extra;
    for (u32 c = 0; c < HISTOGRAM_CHANNELS; c++)
        bins[c * HISTOGRAM_BYTE_VALUES + self] = 0;
    barrier_local();
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL const u8 *pixel = source_pixel(record, from, x, y);
        for (u32 c = 0; c < record->channels; c++) {
            u32 value = smaller(load_sample(pixel, c, record->bytes), record->greatest);
            if (record->bytes == 1)
                count_up_local(bins + c * HISTOGRAM_BYTE_VALUES + value, 1);
            else
                count_up(histogram_row(record, to, c) + value, 1);
        }
    }
    barrier_local();
    for (u32 c = 0; c < record->channels && record->bytes == 1; c++)
        if (bins[c * HISTOGRAM_BYTE_VALUES + self] > 0)
            count_up(histogram_row(record, to, c) + self, bins[c * HISTOGRAM_BYTE_VALUES + self]);
}
