/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizes columns vertically, of samples of up to 8 bits: a work-item makes four samples of a row, and four others. */
#include "kernels/dots.h"

#include "resize/kernels/step.h"

enum { DOWN_STEP = 4 * RESIZE_DOWN_LANES /* bytes from one word of a work-item to the other */ };

/* Load word `at` / 4 of a row, of which `length` bytes may be read; bytes beyond that are 0. */
FUNCTION u32 load_word(GLOBAL const u8 *row, u32 at, u32 length)
{
    u32 word = 0;
    if (at + 4 <= length)
        return *(GLOBAL const u32 *)(GLOBAL const void *)(row + at);
    ROLL for (u32 i = 0; at + i < length; i++)
    {
        word |= (u32)row[at + i] << (8 * i);
    }
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
 * Sum up a window of rows for both words of a work-item, which lie in the rows with `whole`. Rows beyond the window
 * have a weight of 0; its last row is loaded in their place.
 */
FUNCTION void sum_rows(GLOBAL const struct resize_work_step *step, GLOBAL const u8 *row, GLOBAL const u32x4 *weights,
    u32 rows, u32 at, const u32 whole, struct down_sums sums[2])
{
    u32 pitch = step->from_pitch, length = step->length, last = rows - 1;
    for (u32 i = 0; i < rows; i += 4) {
        u32 word[4][2];
        UNROLL for (u32 k = 0; k < 4; k++)
        {
            GLOBAL const u8 *own = row + (u64)(i + k < last ? i + k : last) * pitch;
            GLOBAL const u32 *words = (GLOBAL const u32 *)(GLOBAL const void *)(own + at);
            word[k][0] = whole ? words[0] : load_word(own, at, length);
            word[k][1] = whole ? words[DOWN_STEP / 4] : load_word(own, at + DOWN_STEP, length);
        }
        u32x4 weight = weights[i / 4];
        add_rows(word[0][0], word[1][0], word[2][0], word[3][0], weight, &sums[0]);
        add_rows(word[0][1], word[1][1], word[2][1], word[3][1], weight, &sums[1]);
    }
}

FUNCTION u32 word_of(const struct down_sums *sums, u32 greatest)
{
    u32 word = 0;
    UNROLL for (u32 i = 0; i < 4; i++) word |= round_narrow(sums->low[i], sums->middle[i], sums->high[i], greatest)
                                               << (8 * i);
    return word;
}

/*
 * Make 64 words of 4 rows in each work-group. Rows begin at multiples of 4 bytes, both those that are read and those
 * that are written.
 */
KERNEL(RESIZE_GROUP_ITEMS)
resize_down(GLOBAL const u32 *work, GLOBAL const u8 *from, GLOBAL u8 *to, u32 list, u32 steps, u32 count)
{
    u32 group;
    GLOBAL const struct resize_work_step *step = find_step(work, list, steps, count, &group);
    u32 at = 4 * (group % step->groups_of_row * RESIZE_DOWN_WORDS + local_index() % RESIZE_DOWN_LANES);
    u32 y = group / step->groups_of_row * RESIZE_DOWN_ROWS + local_index() / RESIZE_DOWN_LANES;
    u32 length = step->length;
    if (at >= length || y >= step->height)
        return;
    GLOBAL const u32 *window = work + step->window + 2 * y;
    GLOBAL const u32x4 *weights = quads_at(work, step->weights) + (u64)y * step->quads;
    GLOBAL const u8 *row = source_at(from, place_of(step->from) + (u64)window[0] * step->from_pitch);
    struct down_sums sums[2];
    UNROLL for (u32 i = 0; i < 8; i++) sums[i / 4].low[i % 4] = sums[i / 4].middle[i % 4] = sums[i / 4].high[i % 4] = 0;
    if (length - at >= DOWN_STEP + 4)
        sum_rows(step, row, weights, window[1], at, 1, sums);
    else
        sum_rows(step, row, weights, window[1], at, 0, sums);
    GLOBAL u8 *target = target_at(to, place_of(step->to) + (u64)y * step->to_pitch);
    store_word(target, at, length, word_of(&sums[0], step->greatest));
    store_word(target, at + DOWN_STEP, length, word_of(&sums[1], step->greatest));
}
