/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blurs bytes by a Gaussian, first horizontally and then vertically, as filters/cpu/gaussian.c does; and sharpens with
 * the result, as filters/cpu/sharpen.c does. Sums of the first pass are exact and have 16 bits.
 */
#include "kernels/dots.h"
#include "kernels/quads.h"

#include "filters/kernels/record.h"

enum {
    BLUR_RADIUS,
    BLUR_TAPS, /* offset of the pass's table */
    BLUR_SHARPENS,
    BLUR_AMOUNT,
    BLUR_THRESHOLD,
    THOUSAND = 1000,
    BLUR_QUADS = FILTER_BLUR_COLUMNS / 4,     /* of four pixels each, in a row of a tile */
    BLUR_SIDE = (FILTER_BLUR_RADIUS + 3) / 4, /* the most quads beside these, on either side */
    BLUR_ROOM = BLUR_QUADS + 2 * BLUR_SIDE,
    BLUR_STRIP = 4,                       /* rows of a column that a work-item makes */
    BLUR_WORDS = FILTER_BLUR_SAMPLES / 4, /* of four samples each, in a row of a tile of the second pass */
};

FUNCTION GLOBAL u8 *sums_at(GLOBAL const struct filter_record *record, GLOBAL u8 *extra, u32 y)
{
    return target_at(extra, place_of(record->extra) + (u64)y * record->extra_pitch);
}

/* Return how many quads a tile needs on either side. */
FUNCTION u32 blur_side(GLOBAL const struct filter_record *record)
{
    return ((u32)record->value[BLUR_RADIUS] + 3) / 4;
}

/* Load the quad that begins at column `x` of a row; columns outside the image are mirrored. */
FUNCTION void load_mirrored(
    GLOBAL const struct filter_record *record, GLOBAL const u8 *from, i32 x, u32 y, const u32 channels, u32 *word)
{
    i32 width = (i32)record->width;
    if (x >= 0 && x + 4 <= width) {
        u64 row = place_of(record->from) + (u64)y * record->from_pitch;
        load_quad(from, row, (u32)x * channels, (u32)width * channels, channels, word);
        separate(channels, word);
        return;
    }
    UNROLL for (u32 c = 0; c < channels; c++) word[c] = 0;
    for (i32 i = 0; i < 4; i++) {
        GLOBAL const u8 *pixel = source_pixel(record, from, (u32)mirrored(x + i, width), y);
        UNROLL for (u32 c = 0; c < channels; c++) word[c] |= (u32)pixel[c] << (8 * i);
    }
}

/*
 * Sum up a work-item's quad. The table has four words for each quad of the window: the weights of its four pixels for
 * the first sum, those for the second, and so on. Sums are listed channel after channel.
 */
FUNCTION void sum_across(GLOBAL const u32 *table, LOCAL const u32 *own, u32 window, const u32 channels, u32 *sum)
{
    GLOBAL const u32x4 *weights = quads_at(table, 0);
    UNROLL for (u32 i = 0; i < 4 * channels; i++) sum[i] = 0;
    for (u32 j = 0; j < window; j++) {
        u32x4 weight = weights[j];
        UNROLL for (u32 c = 0; c < channels; c++)
        {
            u32 samples = own[c * BLUR_ROOM + j];
            sum[4 * c] = dot_bytes(samples, weight.x, sum[4 * c]);
            sum[4 * c + 1] = dot_bytes(samples, weight.y, sum[4 * c + 1]);
            sum[4 * c + 2] = dot_bytes(samples, weight.z, sum[4 * c + 2]);
            sum[4 * c + 3] = dot_bytes(samples, weight.w, sum[4 * c + 3]);
        }
    }
}

/*
 * Store the sums of a tile, pixel after pixel. `tile` has room for the rows' quads, separated by channels, and `made`
 * for the sums. Whole work-group.
 */
FUNCTION void blur_across(GLOBAL const struct filter_record *record, GLOBAL const u32 *work, GLOBAL const u8 *from,
    GLOBAL u8 *extra, u32 group, const u32 channels, LOCAL u32 *tile, LOCAL u32 *made)
{
    u32 lane = local_index() % BLUR_QUADS, line = local_index() / BLUR_QUADS, side = blur_side(record), words[16];
    u32 left = group % record->groups_of_row * FILTER_BLUR_COLUMNS;
    u32 y = group / record->groups_of_row * FILTER_BLUR_ROWS + line;
    u32 row = smaller(y, record->height - 1), window = 2 * side + 1;
    LOCAL u32 *own = tile + line * channels * BLUR_ROOM;
    for (u32 quad = lane; quad < BLUR_QUADS + 2 * side; quad += BLUR_QUADS) {
        load_mirrored(record, from, (i32)(left + 4 * quad) - (i32)(4 * side), row, channels, words);
        UNROLL for (u32 c = 0; c < channels; c++) own[c * BLUR_ROOM + quad] = words[c];
    }
    barrier_local();
    sum_across(work + record->value[BLUR_TAPS], own + lane, window, channels, words);
    LOCAL u32 *pairs = made + local_index() * 2 * channels;
    UNROLL for (u32 i = 0; i < 4 * channels; i += 2)
    {
        pairs[i / 2] = words[i % channels * 4 + i / channels] | words[(i + 1) % channels * 4 + (i + 1) / channels]
                                                                    << 16;
    }
    barrier_local();
    GLOBAL u32 *target = (GLOBAL u32 *)(GLOBAL void *)sums_at(record, extra, row) + left / 2 * channels;
    u32 end = (record->width * channels + 3) / 4 * 2 - left / 2 * channels;
    for (u32 i = lane; y < record->height && i < smaller(end, 2 * BLUR_QUADS * channels); i += BLUR_QUADS)
        target[i] = made[line * 2 * BLUR_QUADS * channels + i];
}

/* Each number of channels has a kernel of its own, so that sums stay in registers. */
#define BLUR_KERNEL(name, channels)                                                                                    \
    DENSE_KERNEL(FILTER_GROUP_ITEMS, 5)                                                                                \
    name(FILTER_ARGUMENTS)                                                                                             \
    {                                                                                                                  \
        SHARED u32 tile[FILTER_BLUR_ROWS * (channels)*BLUR_ROOM];                                                      \
        SHARED u32 made[FILTER_GROUP_ITEMS * 2 * (channels)];                                                          \
        u32 group;                                                                                                     \
        GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);                   \
        (void)to;                                                                                                      \
        blur_across(record, work, from, extra, group, channels, tile, made);                                           \
    }

BLUR_KERNEL(filter_blur_across_one, 1)
BLUR_KERNEL(filter_blur_across_three, 3)
BLUR_KERNEL(filter_blur_across_four, 4)

/* Walks through rows, and turns at the outermost ones. */
struct blur_walk {
    i32 row, step, height;
};

FUNCTION struct blur_walk walk_from(i32 row, i32 height)
{
    struct blur_walk walk;
    walk.row = mirrored(row, height);
    walk.step = mirrored(row + 1, height) - walk.row;
    walk.height = height;
    return walk;
}

/* Return four sums of a row in two words, and go to the next row. */
FUNCTION u32x2 load_sums(GLOBAL const u8 *column, u32 pitch, struct blur_walk *walk)
{
    u32x2 sums = *(GLOBAL const u32x2 *)(GLOBAL const void *)(column + (u64)(u32)walk->row * pitch);
    walk->step = (u32)(walk->row + walk->step) < (u32)walk->height ? walk->step : -walk->step;
    walk->row += walk->step;
    return sums;
}

/*
 * Add a sample of two rows to the sums for the rows of a strip. `own` has two taps for the first row of the strip and
 * two for the second one; `before` the same for the others.
 */
FUNCTION void add_pair(u32 samples, u32 own, u32 before, u32 sum[BLUR_STRIP])
{
    sum[0] = dot_halves_low(samples, own, sum[0]);
    sum[1] = dot_halves_high(samples, own, sum[1]);
    sum[2] = dot_halves_low(samples, before, sum[2]);
    sum[3] = dot_halves_high(samples, before, sum[3]);
}

/* Compute the sums of four samples of the rows of a strip, whose first row is `y`; they have 16 bits too many. */
FUNCTION void sum_down(GLOBAL const struct filter_record *record, GLOBAL const u32 *table, GLOBAL u8 *extra, u32 at,
    u32 y, u32 sum[4][BLUR_STRIP])
{
    GLOBAL const u8 *column = sums_at(record, extra, 0) + 2 * (u64)at;
    u32 before = 0, pairs = (u32)record->value[BLUR_RADIUS] + 2, pitch = record->extra_pitch;
    struct blur_walk walk = walk_from((i32)y - record->value[BLUR_RADIUS], (i32)record->height);
    UNROLL for (u32 i = 0; i < 4 * BLUR_STRIP; i++) sum[i / BLUR_STRIP][i % BLUR_STRIP] = 1u << 15;
    for (u32 j = 0; j < pairs; j++) {
        u32 own = table[j];
        u32x2 upper = load_sums(column, pitch, &walk), lower = load_sums(column, pitch, &walk);
        add_pair(pick_bytes(upper.x, lower.x, 0x5410), own, before, sum[0]);
        add_pair(pick_bytes(upper.x, lower.x, 0x7632), own, before, sum[1]);
        add_pair(pick_bytes(upper.y, lower.y, 0x5410), own, before, sum[2]);
        add_pair(pick_bytes(upper.y, lower.y, 0x7632), own, before, sum[3]);
        before = own;
    }
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

/* Sharpen up to four samples from sample `at` of a row on, which lie in the bytes of a word; alpha stays as it is. */
FUNCTION u32 sharpened_word(GLOBAL const struct filter_record *record, GLOBAL const u8 *row, u32 at, u32 word)
{
    u32 result = 0, channel = at % record->channels, length = record->width * record->channels;
    for (u32 i = 0; i < 4 && at + i < length; i++) {
        u32 own = row[at + i], value = word >> 8 * i & 255;
        result |= (channel < record->colours ? sharpened(record, own, value) : own) << 8 * i;
        channel = channel + 1 < record->channels ? channel + 1 : 0;
    }
    return result;
}

/* Make four samples of each row of a strip in each work-item. The first sums of rows lie at multiples of 16 bytes. */
DENSE_KERNEL(FILTER_GROUP_ITEMS, 5)
filter_blur_down(FILTER_ARGUMENTS)
{
    u32 group, sum[4][BLUR_STRIP];
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    u32 at = group % record->groups_of_row * FILTER_BLUR_SAMPLES + local_index() % BLUR_WORDS * 4;
    u32 y = group / record->groups_of_row * FILTER_BLUR_DOWN_ROWS + local_index() / BLUR_WORDS * BLUR_STRIP;
    u32 length = record->width * record->channels;
    if (at >= length || y >= record->height)
        return;
    sum_down(record, work + record->value[BLUR_TAPS], extra, at, y, sum);
    UNROLL for (u32 k = 0; k < BLUR_STRIP; k++)
    {
        u32 word =
            pick_bytes(pick_bytes(sum[0][k], sum[1][k], 0x0062), pick_bytes(sum[2][k], sum[3][k], 0x0062), 0x5410);
        if (y + k < record->height) {
            if (record->value[BLUR_SHARPENS])
                word = sharpened_word(record, source_pixel(record, from, 0, y + k), at, word);
            store_word(target_pixel(record, to, 0, y + k), at, length, word);
        }
    }
}
