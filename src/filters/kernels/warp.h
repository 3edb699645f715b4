/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps images by an affine transform or a homography, as filters/cpu/warp.c does. */
#include "filters/kernels/record.h"

enum { WARP_FAR = 1 << 28, WARP_LEAST = 1 << 15, WARP_WEIGHT_BITS = 12 };

/* Describes a place in the source: whole pixels, and 256ths. */
struct warp_place {
    i32 x, y;
    u32 right, down;
};

/* Return coefficient `index`, of two words of the table. */
FUNCTION i64 warp_coefficient(GLOBAL const u32 *table, u32 index)
{
    return (i64)((u64)table[2 * index + 1] << 32 | table[2 * index]);
}

FUNCTION i64 warp_sum(GLOBAL const u32 *table, u32 first, u32 x, u32 y)
{
    return warp_coefficient(table, first) * (i64)x + warp_coefficient(table, first + 1) * (i64)y +
           warp_coefficient(table, first + 2);
}

/* Divide, rounding to nearest and halves up; a denominator of one takes a shift. */
FUNCTION i32 warp_divide(i64 number, i64 under)
{
    i64 sum = number * 256 + under / 2, quotient;
    if (under == (i64)1 << 31) {
        quotient = sum >> 31;
    } else {
        quotient = sum / under;
        quotient -= sum < quotient * under ? 1 : 0;
    }
    return (i32)(quotient < -WARP_FAR ? -WARP_FAR : quotient > WARP_FAR ? WARP_FAR : quotient);
}

FUNCTION struct warp_place warp_place_of(GLOBAL const u32 *table, u32 x, u32 y, i64 under)
{
    i32 column = warp_divide(warp_sum(table, 0, x, y), under), row = warp_divide(warp_sum(table, 3, x, y), under);
    struct warp_place place;
    place.right = (u32)column & 255;
    place.down = (u32)row & 255;
    place.x = column >> 8;
    place.y = row >> 8;
    return place;
}

/* Return a sample of a pixel, which may lie outside the source. */
FUNCTION i32 warp_sample(
    GLOBAL const struct filter_record *record, GLOBAL const u8 *from, i32 x, i32 y, u32 channel, i32 edge)
{
    i32 column = held_in(x, (i32)record->from_width), row = held_in(y, (i32)record->from_height);
    if (!edge && (column != x || row != y))
        return 0;
    return (i32)smaller(
        load_sample(source_pixel(record, from, (u32)column, (u32)row), channel, record->bytes), record->greatest);
}

FUNCTION u32 warp_linear(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct warp_place *place, u32 channel, i32 edge)
{
    u32 sum = 1u << 15;
    for (i32 j = 0; j < 2; j++)
        for (i32 i = 0; i < 2; i++) {
            u32 weight = (i ? place->right : 256 - place->right) * (j ? place->down : 256 - place->down);
            sum += weight * (u32)warp_sample(record, from, place->x + i, place->y + j, channel, edge);
        }
    return sum >> 16;
}

/* Return Keys' cubic weight with a = −1/2 of pixel `index` − 1, `part` 256ths behind pixel 0: a multiple of 2^−12. */
FUNCTION i32 warp_weight(i32 index, i32 part)
{
    const i32 rounding = 1 << 12;
    i32 before = (-part * part * part + 512 * part * part - 65536 * part + rounding) >> 13;
    i32 next = (-3 * part * part * part + 1024 * part * part + 65536 * part + rounding) >> 13;
    i32 last = (part * part * part - 256 * part * part + rounding) >> 13;
    return index == 0 ? before : index == 2 ? next : index == 3 ? last : (1 << WARP_WEIGHT_BITS) - before - next - last;
}

FUNCTION u32 warp_cubic(GLOBAL const struct filter_record *record, GLOBAL const u8 *from,
    const struct warp_place *place, u32 channel, i32 edge)
{
    i64 sum = (i64)1 << (2 * WARP_WEIGHT_BITS - 1);
    for (i32 j = 0; j < 4; j++) {
        i32 row = 0;
        for (i32 i = 0; i < 4; i++)
            row += warp_weight(i, (i32)place->right) *
                   warp_sample(record, from, place->x + i - 1, place->y + j - 1, channel, edge);
        sum += (i64)warp_weight(j, (i32)place->down) * row;
    }
    if (sum < 0)
        return 0;
    sum >>= 2 * WARP_WEIGHT_BITS;
    return sum < (i64)record->greatest ? (u32)sum : record->greatest;
}

/*
 * Make the pixels of a work-item. value: offset of the nine coefficients, of two words each; whether pixels outside the
 * source are replaced by its nearest ones.
 */
FUNCTION void warp_pixels(GLOBAL const struct filter_record *record, GLOBAL const u32 *work, GLOBAL const u8 *from,
    GLOBAL u8 *to, const struct filter_tile *tile, u32 cubic)
{
    GLOBAL const u32 *table = work + record->value[0];
    i32 edge = record->value[1];
    u32 x = own_column(tile);
    for (u32 y = own_row(tile); x < tile->right && y < tile->bottom; y += FILTER_TILE_ROWS) {
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        i64 under = warp_sum(table, 6, x, y);
        struct warp_place place = warp_place_of(table, x, y, under < WARP_LEAST ? (i64)1 << 31 : under);
        for (u32 c = 0; c < record->channels; c++) {
            u32 sample = cubic ? warp_cubic(record, from, &place, c, edge) : warp_linear(record, from, &place, c, edge);
            store_sample(target, c, record->to_bytes, under < WARP_LEAST ? 0 : sample);
        }
    }
}

KERNEL(FILTER_GROUP_ITEMS)
filter_warp(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    (void)extra;
    warp_pixels(record, work, from, to, &tile, 0);
}

KERNEL(FILTER_GROUP_ITEMS)
filter_warp_cubic(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    (void)extra;
    warp_pixels(record, work, from, to, &tile, 1);
}
