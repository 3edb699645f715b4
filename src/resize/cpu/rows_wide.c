/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes rows of samples of 9 to 16 bits, in sums of 64 bits on every tier. */
#include "resize/cpu/rows.h"

static uint16_t rounded(int64_t sum, uint32_t greatest)
{
    int64_t value = (sum + (INT64_C(1) << (RESIZE_BITS_WIDE - 1))) >> RESIZE_BITS_WIDE;
    return (uint16_t)(value < 0 ? 0 : value > (int64_t)greatest ? (int64_t)greatest : value);
}

/* Return the weighted sum of samples that are `stride` bytes apart. */
static int64_t weighed_sum(const int32_t *weight, uint32_t length, const uint8_t *sample, ptrdiff_t stride)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < length; i++)
        sum += (int64_t)weight[i] * *(const uint16_t *)(const void *)(sample + (ptrdiff_t)i * stride);
    return sum;
}

static void across(const struct resize_weights *weights, const struct resize_rows *rows, uint32_t begin, uint32_t end)
{
    const ptrdiff_t pixel = 2 * (ptrdiff_t)rows->channels;
    for (uint32_t row = 0; row < rows->count; row++) {
        const uint8_t *from = rows->from + row * rows->from_pitch;
        uint16_t *to = (uint16_t *)(void *)(rows->to + row * rows->to_pitch + begin * pixel);
        for (uint32_t x = begin; x < end; x++) {
            const struct resize_window window = weights->window[x];
            const int32_t *weight = kst_resize_weights_of(weights, x);
            const uint8_t *first = from + window.first * pixel;
            for (uint32_t c = 0; c < rows->channels; c++, first += 2)
                *to++ = rounded(weighed_sum(weight, window.length, first, pixel), rows->greatest);
        }
    }
}

static void down(const struct resize_weights *weights, uint32_t index, const struct resize_rows *rows, size_t samples)
{
    const int32_t *weight = kst_resize_weights_of(weights, index);
    uint32_t length = weights->window[index].length;
    uint16_t *to = (uint16_t *)(void *)rows->to;
    for (size_t i = 0; i < samples; i++)
        to[i] = rounded(weighed_sum(weight, length, rows->from + 2 * i, rows->from_pitch), rows->greatest);
}

void kst_resize_rows_wide(struct resize_dsp *dsp)
{
    *dsp = (struct resize_dsp){.across = across, .down = down};
}
