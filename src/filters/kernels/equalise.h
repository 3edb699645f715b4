/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the curves that spread luminance evenly, or stretch it, as filters/cpu/tone.c does: clears the counts, counts
 * pixels, and sums up the counts. The counts lie in intermediate memory, and the curve behind them, for filter_curve.
 */
#include "kernels/group.h"

#include "filters/kernels/points.h"

enum { BYTE_VALUES = 256 };

KERNEL(FILTER_GROUP_ITEMS)
filter_clear(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    (void)from;
    (void)to;
    extra_words(record, extra)[group * FILTER_GROUP_ITEMS + local_index()] = 0;
}

/* value: the weights of luminance. */
KERNEL(FILTER_GROUP_ITEMS)
filter_count(FILTER_ARGUMENTS)
{
    SHARED u32 bins[BYTE_VALUES];
    u32 group, self = local_index();
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL u32 *counts = extra_words(record, extra);
    u32 x = own_column(&tile);
    (void)to;
    bins[self] = 0;
    barrier_local();
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        u32 value = smaller(luminance_of(record, source_pixel(record, from, x, y)), record->greatest);
        if (record->bytes == 1)
            count_up_local(bins + value, 1);
        else
            count_up(counts + value, 1);
    }
    barrier_local();
    if (record->bytes == 1 && bins[self] > 0)
        count_up(counts + self, bins[self]);
}

/* Make the curve from the counts, in one work-group. Each work-item sums up a run of counts. */
KERNEL(FILTER_GROUP_ITEMS)
filter_equalise(FILTER_ARGUMENTS)
{
    SHARED u32 scratch[FILTER_GROUP_ITEMS], lowest[1];
    u32 group, self = local_index(), total, sum = 0;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    GLOBAL u32 *counts = extra_words(record, extra), *curve = counts + FILTER_BINS;
    u32 greatest = record->greatest, run = (greatest + FILTER_GROUP_ITEMS) / FILTER_GROUP_ITEMS;
    u32 first = self * run, end = smaller(first + run, greatest + 1);
    (void)from;
    (void)to;
    if (self == 0)
        lowest[0] = greatest;
    barrier_local();
    for (u32 i = first; i < end; i++) {
        sum += counts[i];
        if (counts[i] > 0)
            atomic_least_local(lowest, i);
    }
    sum = group_scan(scratch, FILTER_GROUP_ITEMS, sum, &total);
    barrier_local();
    u32 least = counts[lowest[0]];
    u64 rest = total - least;
    for (u32 i = first; i < end; i++) {
        sum += counts[i];
        u64 below = sum > least ? sum - least : 0;
        curve[i] = rest == 0 ? i : (u32)((below * greatest * 2 + rest) / (rest * 2));
    }
}

/*
 * Make the line that stretches luminance, in one work-group. value[3] and value[4]: the thousandths of a per cent of
 * pixels that may become black, and white. Each work-item counts how many values of its run lie below and above the
 * line.
 */
KERNEL(FILTER_GROUP_ITEMS)
filter_normalise(FILTER_ARGUMENTS)
{
    SHARED u32 scratch[FILTER_GROUP_ITEMS];
    u32 group, self = local_index(), total, below, above, sum = 0, dark = 0, bright = 0;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    GLOBAL u32 *counts = extra_words(record, extra), *curve = counts + FILTER_BINS;
    u32 greatest = record->greatest, run = (greatest + FILTER_GROUP_ITEMS) / FILTER_GROUP_ITEMS;
    u32 first = self * run, end = smaller(first + run, greatest + 1);
    (void)from;
    (void)to;
    for (u32 i = first; i < end; i++)
        sum += counts[i];
    sum = group_scan(scratch, FILTER_GROUP_ITEMS, sum, &total);
    barrier_local();
    for (u32 i = first; i < end; i++) {
        bright += i > 0 && (u64)(total - sum) * 100000 <= (u64)total * (u32)record->value[4] ? 1 : 0;
        sum += counts[i];
        dark += i < greatest && (u64)sum * 100000 <= (u64)total * (u32)record->value[3] ? 1 : 0;
    }
    group_scan(scratch, FILTER_GROUP_ITEMS, dark, &below);
    barrier_local();
    group_scan(scratch, FILTER_GROUP_ITEMS, bright, &above);
    barrier_local();
    u32 white = greatest - above;
    for (u32 i = first; i < end; i++) {
        u32 held = i < below ? 0 : smaller(i, white) - below;
        curve[i] = below < white ? (held * greatest + (white - below) / 2) / (white - below) : i;
    }
}
