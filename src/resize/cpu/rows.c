/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes rows of 8-bit samples in plain C, and chooses the functions of a tier. */
#include "resize/cpu/rows.h"

static uint8_t rounded(int32_t sum, uint32_t greatest)
{
    int32_t value = (sum + (1 << (RESIZE_BITS - 1))) >> RESIZE_BITS;
    return (uint8_t)(value < 0 ? 0 : value > (int32_t)greatest ? (int32_t)greatest : value);
}

/* Sum up samples that are `stride` bytes apart. Weights of one window sum up to less than 2 in magnitude. */
static int32_t weighed_sum(const int32_t *weight, uint32_t length, const uint8_t *sample, ptrdiff_t stride)
{
    int32_t sum = 0;
    for (uint32_t i = 0; i < length; i++)
        sum += weight[i] * sample[(ptrdiff_t)i * stride];
    return sum;
}

static void across(const struct resize_weights *weights, const struct resize_rows *rows, uint32_t begin, uint32_t end)
{
    const uint32_t channels = rows->channels;
    for (uint32_t row = 0; row < rows->count; row++) {
        const uint8_t *from = rows->from + row * rows->from_pitch;
        uint8_t *to = rows->to + row * rows->to_pitch + (size_t)begin * channels;
        for (uint32_t x = begin; x < end; x++) {
            const struct resize_window window = weights->window[x];
            const int32_t *weight = kst_resize_weights_of(weights, x);
            for (uint32_t c = 0; c < channels; c++, to++) {
                const uint8_t *sample = from + (size_t)window.first * channels + c;
                *to = rounded(weighed_sum(weight, window.length, sample, channels), rows->greatest);
            }
        }
    }
}

static void down(const struct resize_weights *weights, uint32_t index, const struct resize_rows *rows, size_t samples)
{
    const int32_t *weight = kst_resize_weights_of(weights, index);
    uint32_t length = weights->window[index].length;
    for (size_t i = 0; i < samples; i++)
        rows->to[i] = rounded(weighed_sum(weight, length, rows->from + i, rows->from_pitch), rows->greatest);
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
