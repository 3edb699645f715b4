/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps images by an affine transform or a homography, as filters/cpu/warp.c does. */
#include "kernels/dots.h"

#include "filters/kernels/record.h"

enum {
    WARP_FAR = 1 << 28,
    WARP_LEAST = 1 << 15,
    WARP_WEIGHT_BITS = 12,
    WARP_BEFORE = 4, /* columns at the left and right that are left to the samples' own loads */
    WARP_BEHIND = 12
};

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

FUNCTION struct warp_place warp_place_of(i32 column, i32 row)
{
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

/*
 * Add the products of two neighbouring pixels of bytes with their weights to the sums of the channels. Both pixels'
 * bytes of two channels are picked at once.
 */
FUNCTION void warp_add(GLOBAL const u8 *pixel, u32 weights, const u32 channels, u32 sum[4])
{
    GLOBAL const u32 *words = word_around(pixel);
    u32 shift = 8 * (u32)(u64)pixel, middle = words[1];
    u32 low = shift_pair(words[0], middle, shift), high = shift_pair(middle, words[2], shift);
    u32 pairs = pick_bytes(low, high, channels == 3 ? 0x4130 : channels == 4 ? 0x5140 : 0x0010);
    sum[0] = dot_halves_low(weights, pairs, sum[0]);
    if (channels == 1)
        return;
    u32 others = pick_bytes(low, high, channels == 3 ? 0x0052 : 0x7362);
    sum[1] = dot_halves_high(weights, pairs, sum[1]);
    sum[2] = dot_halves_low(weights, others, sum[2]);
    if (channels == 4)
        sum[3] = dot_halves_high(weights, others, sum[3]);
}

/*
 * Make a pixel by bilinear weights from pixels inside the source; sums have 16 bits behind the point. The weight 65536
 * of a pixel at the place itself is replaced by 65535, with the same result after rounding.
 */
FUNCTION void warp_inner(
    GLOBAL const u8 *source, u32 pitch, const struct warp_place *place, const u32 channels, LOCAL u8 *made)
{
    GLOBAL const u8 *pixel = source + (u64)(u32)place->y * pitch + (u64)(u32)place->x * channels;
    u32 across = 256 + place->right * 0xFFFF, above = (256 - place->down) * across, sum[4];
    above -= (place->right | place->down) == 0;
    UNROLL for (u32 c = 0; c < channels; c++) sum[c] = 1u << 15;
    warp_add(pixel, above, channels, sum);
    warp_add(pixel + pitch, place->down * across, channels, sum);
    UNROLL for (u32 c = 0; c < channels; c++) made[c] = (u8)(sum[c] >> 16);
}

/* Make a pixel of bytes that depends on samples outside the source or near its sides. */
FUNCTION void warp_outer(GLOBAL const struct filter_record *record, GLOBAL const u32 *table, GLOBAL const u8 *from,
    u32 x, u32 y, LOCAL u8 *made)
{
    const i64 one = (i64)1 << 31;
    i32 column = warp_divide(warp_sum(table, 0, x, y), one), row = warp_divide(warp_sum(table, 3, x, y), one);
    struct warp_place place = warp_place_of(column, row);
    for (u32 c = 0; c < record->channels; c++)
        made[c] = (u8)warp_linear(record, from, &place, c, record->value[1]);
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

/* Describes a source of bytes, and how many columns and rows may have places whose pixels all lie inside. */
struct warp_source {
    GLOBAL const u8 *first;
    u32 pitch, columns, rows;
};

FUNCTION struct warp_source warp_source_of(GLOBAL const struct filter_record *record, GLOBAL const u8 *from)
{
    struct warp_source source;
    u32 width = record->from_width, margins = WARP_BEFORE + WARP_BEHIND;
    source.first = source_pixel(record, from, 0, 0);
    source.pitch = record->from_pitch;
    source.columns = width > margins && record->greatest == 255 ? width - margins : 0;
    source.rows = record->from_height - 1;
    return source;
}

FUNCTION u32 warp_is_inside(const struct warp_source *source, const struct warp_place *place)
{
    return (u32)(place->x - WARP_BEFORE) < source->columns && (u32)place->y < source->rows;
}

/* Return the sum that leads to a column or a row for a denominator of one, with half of 1/256 added. */
FUNCTION i64 warp_affine_sum(GLOBAL const u32 *table, u32 first, u32 x, u32 y)
{
    return warp_sum(table, first, x, y) + (1 << 22);
}

/* Return the place for two such sums. Places with too many bits for a word become places outside the source. */
FUNCTION struct warp_place warp_affine_place(i64 column, i64 row)
{
    return warp_place_of((i32)(column >> 23), (i32)(row >> 23));
}

/*
 * Make the pixels of a column of a tile whose places are not all inside the source. Those that see nothing of it are
 * made at once.
 */
FUNCTION void warp_side(GLOBAL const struct filter_record *record, GLOBAL const u32 *table, GLOBAL const u8 *from,
    const struct filter_tile *tile, const struct warp_source *source, const u32 channels, LOCAL u32 *made)
{
    u32 x = own_column(tile), width = record->from_width, height = record->from_height;
    LOCAL u8 *own = (LOCAL u8 *)made + local_index() * channels;
    ROLL for (u32 y = own_row(tile); y < tile->bottom; y += FILTER_TILE_ROWS)
    {
        struct warp_place place = warp_affine_place(warp_affine_sum(table, 0, x, y), warp_affine_sum(table, 3, x, y));
        if (warp_is_inside(source, &place)) {
            warp_inner(source->first, source->pitch, &place, channels, own);
        } else if (!record->value[1] && ((u32)(place.x + 1) > width || (u32)(place.y + 1) > height)) {
            UNROLL for (u32 c = 0; c < channels; c++) own[c] = 0;
        } else {
            warp_outer(record, table, from, x, y, own);
        }
        own += FILTER_GROUP_ITEMS * channels;
    }
}

/*
 * Make the pixels of a tile of bytes by an affine transform and bilinear weights, in `made`. The places of a column lie
 * on a line: if the first and the last one are inside the source, all are. value: offset of the nine coefficients, of
 * two words each; whether pixels outside the source are replaced by its nearest ones.
 */
FUNCTION void warp_tile(GLOBAL const struct filter_record *record, GLOBAL const u32 *work, GLOBAL const u8 *from,
    const struct filter_tile *tile, const u32 channels, LOCAL u32 *made)
{
    GLOBAL const u32 *table = work + record->value[0];
    struct warp_source source = warp_source_of(record, from);
    u32 x = own_column(tile), y = own_row(tile);
    if (x >= tile->right || y >= tile->bottom)
        return;
    u32 steps = (tile->bottom - 1 - y) / FILTER_TILE_ROWS;
    i64 column = warp_affine_sum(table, 0, x, y), row = warp_affine_sum(table, 3, x, y);
    i64 right = warp_coefficient(table, 1) * FILTER_TILE_ROWS, down = warp_coefficient(table, 4) * FILTER_TILE_ROWS;
    struct warp_place place = warp_affine_place(column, row);
    struct warp_place last = warp_affine_place(column + right * (i64)steps, row + down * (i64)steps);
    if (!warp_is_inside(&source, &place) || !warp_is_inside(&source, &last)) {
        warp_side(record, table, from, tile, &source, channels, made);
        return;
    }
    LOCAL u8 *own = (LOCAL u8 *)made + local_index() * channels;
    for (u32 i = 0; i <= steps; i++) {
        place = warp_affine_place(column, row);
        warp_inner(source.first, source.pitch, &place, channels, own);
        own += FILTER_GROUP_ITEMS * channels;
        column += right;
        row += down;
    }
}

/* Each number of channels has a kernel of its own, in which places and picked bytes are constants. */
#define WARP_KERNEL(name, channels)                                                                                    \
    DENSE_KERNEL(FILTER_GROUP_ITEMS, 6)                                                                                \
    name(FILTER_ARGUMENTS)                                                                                             \
    {                                                                                                                  \
        SHARED u32 made[FILTER_WARP_ROWS * FILTER_TILE / 4 * (channels)];                                              \
        u32 group;                                                                                                     \
        GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);                   \
        struct filter_tile tile = tile_of_rows(record, group, FILTER_WARP_ROWS);                                       \
        (void)extra;                                                                                                   \
        warp_tile(record, work, from, &tile, channels, made);                                                          \
        barrier_local();                                                                                               \
        store_tile(record, to, &tile, channels, made);                                                                 \
    }

WARP_KERNEL(filter_warp_one, 1)
WARP_KERNEL(filter_warp_three, 3)
WARP_KERNEL(filter_warp_four, 4)

/* Make the pixels of a work-item, sample by sample. value: as for warp_tile(). */
FUNCTION void warp_pixels(GLOBAL const struct filter_record *record, GLOBAL const u32 *work, GLOBAL const u8 *from,
    GLOBAL u8 *to, const struct filter_tile *tile, u32 cubic)
{
    GLOBAL const u32 *table = work + record->value[0];
    i32 edge = record->value[1];
    u32 x = own_column(tile);
    for (u32 y = own_row(tile); x < tile->right && y < tile->bottom; y += FILTER_TILE_ROWS) {
        GLOBAL u8 *target = target_pixel(record, to, x, y);
        i64 under = warp_sum(table, 6, x, y), divisor = under < WARP_LEAST ? (i64)1 << 31 : under;
        struct warp_place place = warp_place_of(
            warp_divide(warp_sum(table, 0, x, y), divisor), warp_divide(warp_sum(table, 3, x, y), divisor));
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
