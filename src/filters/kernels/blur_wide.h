/* SPDX-License-Identifier: BSD-2-Clause */
/* Blurs and sharpens samples of more than 8 bits as kernels/blur.h does bytes, sample by sample. */
#include "filters/kernels/blur.h"

/* Store the sums of samples weighted by the taps; sums have twice the bits of samples. */
KERNEL(FILTER_GROUP_ITEMS)
filter_wide_blur_across(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *taps = work + record->value[BLUR_TAPS];
    i32 radius = record->value[BLUR_RADIUS], width = (i32)record->width, x = (i32)own_column(&tile);
    u32 channels = record->channels;
    (void)to;
    for (u32 y = own_row(&tile); x < (i32)tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL u32 *sums = (GLOBAL u32 *)(GLOBAL void *)sums_at(record, extra, y) + (u32)x * channels;
        u32 sum[4] = {0, 0, 0, 0};
        for (i32 k = -radius; k <= radius; k++) {
            GLOBAL const u8 *pixel = source_pixel(record, from, (u32)mirrored(x + k, width), y);
            u32 tap = taps[k + radius];
            UNROLL for (u32 c = 0; c < 4; c++) sum[c] += c < channels ? tap * load_sample(pixel, c, 2) : 0;
        }
        UNROLL for (u32 c = 0; c < 4; c++)
        {
            if (c < channels)
                sums[c] = sum[c];
        }
    }
}

/* Return the weighted sum of rows, rounded to the bits of a sample. */
FUNCTION u32 wide_sum_down(
    GLOBAL const struct filter_record *record, GLOBAL u8 *extra, GLOBAL const u32 *taps, u32 at, u32 y)
{
    i32 radius = record->value[BLUR_RADIUS], height = (i32)record->height;
    u64 sum = 1u << 31;
    for (i32 k = -radius; k <= radius; k++) {
        GLOBAL const u8 *row = sums_at(record, extra, (u32)mirrored((i32)y + k, height));
        sum += (u64)taps[k + radius] * ((GLOBAL const u32 *)(GLOBAL const void *)row)[at];
    }
    return (u32)(sum >> 32);
}

KERNEL(FILTER_GROUP_ITEMS)
filter_wide_blur_down(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *taps = work + record->value[BLUR_TAPS];
    u32 x = own_column(&tile), channels = record->channels;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL const u8 *source = source_pixel(record, from, x, y);
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        for (u32 c = 0; c < channels; c++) {
            u32 value = wide_sum_down(record, extra, taps, x * channels + c, y);
            if (record->value[BLUR_SHARPENS]) {
                u32 own = load_sample(source, c, 2);
                value = c < record->colours ? sharpened(record, own, value) : own;
            }
            store_sample(target, c, 2, value);
        }
    }
}
