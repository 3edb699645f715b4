/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizes columns vertically, of samples of up to 8 bits: a work-item makes four samples of a row. */
#include "kernels/dots.h"

#include "resize/kernels/step.h"

/* Load word `at` / 4 of a row, of which `length` bytes may be read; bytes beyond that are 0. */
FUNCTION u32 load_word(GLOBAL const u8 *row, u32 at, u32 length)
{
    u32 word = 0;
    if (at + 4 <= length)
        return *(GLOBAL const u32 *)(GLOBAL const void *)(row + at);
    for (u32 i = 0; at + i < length; i++)
        word |= (u32)row[at + i] << (8 * i);
    return word;
}

/* Holds the sums of products with each byte of the weights, for four samples. */
struct down_sums {
    u32 low[4], middle[4], high[4];
};

/* Add the words of four rows, which are transposed so that each word holds a sample of each row. */
FUNCTION void add_rows(u32 a, u32 b, u32 c, u32 d, u32x4 weights, struct down_sums *sums)
{
    u32 first = pick_bytes(a, b, 0x5140), second = pick_bytes(c, d, 0x5140), samples[4];
    samples[0] = pick_bytes(first, second, 0x5410);
    samples[1] = pick_bytes(first, second, 0x7632);
    first = pick_bytes(a, b, 0x7362);
    second = pick_bytes(c, d, 0x7362);
    samples[2] = pick_bytes(first, second, 0x5410);
    samples[3] = pick_bytes(first, second, 0x7632);
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        sums->low[i] = dot_bytes(samples[i], weights.x, sums->low[i]);
        sums->middle[i] = dot_bytes(samples[i], weights.y, sums->middle[i]);
        sums->high[i] = dot_signed_bytes(samples[i], weights.z, sums->high[i]);
    }
}

/*
 * Make 32 words of 4 rows in each work-group. Rows begin at multiples of 4 bytes, both those that are read and those
 * that are written.
 */
KERNEL(RESIZE_GROUP_ITEMS)
resize_down(GLOBAL const u32 *work, GLOBAL const u8 *from, GLOBAL u8 *to, u32 list, u32 steps, u32 count)
{
    u32 group;
    GLOBAL const struct resize_work_step *step = find_step(work, list, steps, count, &group);
    u32 at = 4 * (group % step->groups_of_row * RESIZE_DOWN_WORDS + local_index() % RESIZE_DOWN_WORDS);
    u32 y = group / step->groups_of_row * RESIZE_DOWN_ROWS + local_index() / RESIZE_DOWN_WORDS;
    if (at >= step->length || y >= step->height)
        return;
    GLOBAL const u32 *window = work + step->window + 2 * y;
    GLOBAL const u32x4 *weights = quads_at(work, step->weights) + (u64)y * step->quads;
    u32 rows = window[1], pitch = step->from_pitch, length = step->length;
    GLOBAL const u8 *row = source_at(from, place_of(step->from) + (u64)window[0] * pitch);
    struct down_sums sums;
    UNROLL for (u32 i = 0; i < 4; i++) sums.low[i] = sums.middle[i] = sums.high[i] = 0;
    /* Rows beyond the window have a weight of 0; a row of the window is loaded in their place. */
    for (u32 i = 0; i < rows; i += 4) {
        u32 a = load_word(row + (u64)i * pitch, at, length);
        u32 b = load_word(row + (u64)(i + 1 < rows ? i + 1 : i) * pitch, at, length);
        u32 c = load_word(row + (u64)(i + 2 < rows ? i + 2 : i) * pitch, at, length);
        u32 d = load_word(row + (u64)(i + 3 < rows ? i + 3 : i) * pitch, at, length);
        add_rows(a, b, c, d, weights[i / 4], &sums);
    }
    u32 word = 0;
    UNROLL for (u32 i = 0; i < 4; i++) word |= round_narrow(sums.low[i], sums.middle[i], sums.high[i], step->greatest)
                                               << (8 * i);
    store_word(target_at(to, place_of(step->to) + (u64)y * step->to_pitch), at, length, word);
}
