/* SPDX-License-Identifier: BSD-2-Clause */
/* Downsamples in plain C, by averages of two or four samples; the rounding alternates from one output to the next. */
#include "jpeg/cpu/dsp/tiers.h"

static void downsample_h2v1(const uint8_t *in, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint8_t)((in[2 * i] + in[2 * i + 1] + (i & 1)) >> 1);
}

static void downsample_h2v2(const uint8_t *upper, const uint8_t *lower, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t sum = 0U + upper[2 * i] + upper[2 * i + 1] + lower[2 * i] + lower[2 * i + 1];
        out[i] = (uint8_t)((sum + 1 + (i & 1)) >> 2);
    }
}

void kst_jpeg_cpu_downsample_c(struct jpeg_dsp *dsp)
{
    dsp->downsample_h2v1 = downsample_h2v1;
    dsp->downsample_h2v2 = downsample_h2v2;
}
