/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blurs by a Gaussian, first horizontally and then vertically, as filters/cpu/gaussian.c does; and sharpens with the
 * result, as filters/cpu/sharpen.c does.
 */
#include "filters/kernels/record.h"

enum { BLUR_RADIUS, BLUR_TAPS, BLUR_SHARPENS, BLUR_AMOUNT, BLUR_THRESHOLD, THOUSAND = 1000 };

FUNCTION GLOBAL u8 *sums_at(GLOBAL const struct filter_record *record, GLOBAL u8 *extra, u32 y)
{
    return target_at(extra, place_of(record->extra) + (u64)y * record->extra_pitch);
}

/* Store the sums of samples weighted by the taps; sums have twice the bits of samples. */
KERNEL(FILTER_GROUP_ITEMS)
filter_blur_across(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *taps = work + record->value[BLUR_TAPS];
    i32 radius = record->value[BLUR_RADIUS], width = (i32)record->width, x = (i32)own_column(&tile);
    u32 bytes = record->bytes, channels = record->channels;
    (void)to;
    for (u32 y = own_row(&tile); x < (i32)tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        u32 sum[4] = {0, 0, 0, 0};
        for (i32 k = -radius; k <= radius; k++) {
            GLOBAL const u8 *pixel = source_pixel(record, from, (u32)mirrored(x + k, width), y);
            u32 tap = taps[k + radius];
            UNROLL for (u32 c = 0; c < 4; c++) sum[c] += c < channels ? tap * load_sample(pixel, c, bytes) : 0;
        }
        UNROLL for (u32 c = 0; c < 4; c++)
        {
            u32 at = (u32)x * channels + c;
            if (c < channels && bytes == 1)
                ((GLOBAL u16 *)(GLOBAL void *)sums_at(record, extra, y))[at] = (u16)sum[c];
            else if (c < channels)
                ((GLOBAL u32 *)(GLOBAL void *)sums_at(record, extra, y))[at] = sum[c];
        }
    }
}

/* Return the weighted sum of rows, rounded to the bits of a sample. */
FUNCTION u32 sum_down(
    GLOBAL const struct filter_record *record, GLOBAL u8 *extra, GLOBAL const u32 *taps, u32 at, u32 y)
{
    i32 radius = record->value[BLUR_RADIUS], height = (i32)record->height;
    u64 wide = 1u << 31;
    u32 narrow = 1u << 15;
    for (i32 k = -radius; k <= radius; k++) {
        GLOBAL const u8 *row = sums_at(record, extra, (u32)mirrored((i32)y + k, height));
        if (record->bytes == 1)
            narrow += taps[k + radius] * ((GLOBAL const u16 *)(GLOBAL const void *)row)[at];
        else
            wide += (u64)taps[k + radius] * ((GLOBAL const u32 *)(GLOBAL const void *)row)[at];
    }
    return record->bytes == 1 ? narrow >> 16 : (u32)(wide >> 32);
}

/* Add to a sample a multiple of its difference from the blurred sample. */
FUNCTION u32 sharpened(GLOBAL const struct filter_record *record, u32 own, u32 blurred)
{
    i32 difference = (i32)own - (i32)blurred, rounding = difference < 0 ? -THOUSAND / 2 : THOUSAND / 2;
    if (magnitude_of(difference) <= (u32)record->value[BLUR_THRESHOLD])
        return own;
    i32 sum = (i32)own + (difference * record->value[BLUR_AMOUNT] + rounding) / THOUSAND;
    return sum < 0 ? 0 : smaller((u32)sum, record->greatest);
}

KERNEL(FILTER_GROUP_ITEMS)
filter_blur_down(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *taps = work + record->value[BLUR_TAPS];
    u32 x = own_column(&tile), bytes = record->bytes, channels = record->channels;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL const u8 *source = source_pixel(record, from, x, y);
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        for (u32 c = 0; c < channels; c++) {
            u32 value = sum_down(record, extra, taps, x * channels + c, y);
            if (record->value[BLUR_SHARPENS]) {
                u32 own = load_sample(source, c, bytes);
                value = c < record->colours ? sharpened(record, own, value) : own;
            }
            store_sample(target, c, bytes, value);
        }
    }
}
