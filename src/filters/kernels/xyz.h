/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes X', Y' and Z' of RGB by tables, as filters/cpu/xyz.c does. */
#include "filters/kernels/record.h"

enum { XYZ_WEIGHT_BITS = 20 };

/* Return the greatest sample whose least light is not above this. */
FUNCTION u32 xyz_sample(GLOBAL const u32 *least, u32 greatest, u64 light)
{
    u32 low = 0, high = greatest;
    while (low < high) {
        u32 middle = (low + high + 1) / 2;
        if (least[middle] <= light)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* value: where the weights, the light of samples and the least light of the result's samples lie; is red last? */
KERNEL(FILTER_GROUP_ITEMS)
filter_xyz(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *weight = work + record->value[0], *light = work + record->value[1];
    u32 x = own_column(&tile), first = record->value[3] ? 2 : 0;
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        GLOBAL const u8 *source = source_pixel(record, from, x, y);
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        u64 red = light[smaller(load_sample(source, first, record->bytes), record->greatest)];
        u64 green = light[smaller(load_sample(source, 1, record->bytes), record->greatest)];
        u64 blue = light[smaller(load_sample(source, 2 - first, record->bytes), record->greatest)];
        for (u32 c = 0; c < 3; c++) {
            u64 sum = weight[3 * c] * red + weight[3 * c + 1] * green + weight[3 * c + 2] * blue;
            store_sample(target, first ? 2 - c : c, record->to_bytes,
                xyz_sample(work + record->value[2], record->to_greatest, sum >> XYZ_WEIGHT_BITS));
        }
    }
}
