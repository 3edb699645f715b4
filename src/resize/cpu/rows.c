/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes rows of 8-bit samples in plain C, and chooses the functions of a tier. */
#include "resize/cpu/rows.h"

#define INLINE static inline __attribute__((always_inline))

enum { COLUMNS = 64 }; /* columns that are resized vertically together */

static uint8_t rounded(int32_t sum, uint32_t greatest)
{
    int32_t value = (sum + (1 << (RESIZE_BITS - 1))) >> RESIZE_BITS;
    return (uint8_t)(value < 0 ? 0 : value > (int32_t)greatest ? (int32_t)greatest : value);
}

/*
 * Make pixels: the weighted sum of the window's samples for each channel. The weights of a window add up to less than 2
 * in magnitude.
 */
INLINE void make_pixels(const struct resize_weights *weights, const uint8_t *from, uint8_t *to, uint32_t greatest,
    uint32_t begin, uint32_t end, uint32_t channels)
{
    for (uint32_t x = begin; x < end; x++) {
        const int32_t *weight = kst_resize_weights_of(weights, x);
        const uint8_t *sample = from + (size_t)weights->window[x].first * channels;
        int32_t first = 0, second = 0, third = 0, fourth = 0;
        for (uint32_t i = 0; i < weights->window[x].length; i++, sample += channels) {
            first += weight[i] * sample[0];
            second += channels > 1 ? weight[i] * sample[1] : 0;
            third += channels > 1 ? weight[i] * sample[2] : 0;
            fourth += channels > 3 ? weight[i] * sample[3] : 0;
        }
        const int32_t sum[] = {first, second, third, fourth};
        for (uint32_t c = 0; c < channels; c++)
            to[(size_t)x * channels + c] = rounded(sum[c], greatest);
    }
}

static void across(const struct resize_weights *weights, const struct resize_rows *rows, uint32_t begin, uint32_t end)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        const uint8_t *from = rows->from + row * rows->from_pitch;
        uint8_t *to = rows->to + row * rows->to_pitch;
        if (rows->channels == 1)
            make_pixels(weights, from, to, rows->greatest, begin, end, 1);
        else if (rows->channels == 3)
            make_pixels(weights, from, to, rows->greatest, begin, end, 3);
        else
            make_pixels(weights, from, to, rows->greatest, begin, end, 4);
    }
}

/* Make up to COLUMNS samples of a row. */
INLINE void down_columns(
    const int32_t *weight, uint32_t length, const struct resize_rows *rows, size_t first, size_t samples)
{
    int32_t sum[COLUMNS] = {0};
    const uint8_t *from = rows->from + first;
    for (uint32_t i = 0; i < length; i++, from += rows->from_pitch)
        for (size_t k = 0; k < samples; k++)
            sum[k] += weight[i] * from[k];
    for (size_t k = 0; k < samples; k++)
        rows->to[first + k] = rounded(sum[k], rows->greatest);
}

static void down(const struct resize_weights *weights, uint32_t index, const struct resize_rows *rows, size_t samples)
{
    const int32_t *weight = kst_resize_weights_of(weights, index);
    uint32_t length = weights->window[index].length;
    size_t first = 0;
    for (; first + COLUMNS <= samples; first += COLUMNS)
        down_columns(weight, length, rows, first, COLUMNS);
    if (first < samples)
        down_columns(weight, length, rows, first, samples - first);
}

void kst_resize_rows_c(struct resize_dsp *dsp)
{
    *dsp = (struct resize_dsp){.across = across, .down = down};
}

void kst_resize_dsp_init(struct resize_dsp *dsp, enum cpu_tier tier, bool wide)
{
    if (wide)
        kst_resize_rows_wide(dsp);
    else
        kst_resize_rows_c(dsp);
#if defined(__x86_64__)
    if (!wide && tier >= CPU_AVX2)
        kst_resize_rows_avx2(dsp);
#else
    (void)tier;
#endif
}
