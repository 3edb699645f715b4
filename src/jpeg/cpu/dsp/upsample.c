/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Upsamples in plain C: by a triangle filter whose rounding alternates, so that no bias builds up, and by replication.
 */
#include "jpeg/cpu/dsp/tiers.h"

static void upsample_h2v1(const uint8_t *in, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t left = i > 0 ? in[i - 1] : in[0], right = i + 1 < n ? in[i + 1] : in[i];
        out[2 * i] = (uint8_t)((3U * in[i] + left + 1) >> 2);
        out[2 * i + 1] = (uint8_t)((3U * in[i] + right + 2) >> 2);
    }
}

static void upsample_h2v2(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n)
{
    uint32_t sum = 3U * near[0] + far[0], left = sum;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t right = i + 1 < n ? 3U * near[i + 1] + far[i + 1] : sum;
        out[2 * i] = (uint8_t)((3 * sum + left + 8) >> 4);
        out[2 * i + 1] = (uint8_t)((3 * sum + right + 7) >> 4);
        left = sum;
        sum = right;
    }
}

static void upsample_h1v2(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n, bool lower)
{
    const uint32_t bias = lower ? 2 : 1;
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint8_t)((3U * near[i] + far[i] + bias) >> 2);
}

static void replicate_h2(const uint8_t *in, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[2 * i] = out[2 * i + 1] = in[i];
}

void kst_jpeg_cpu_upsample_c(struct jpeg_dsp *dsp)
{
    dsp->upsample_h2v1 = upsample_h2v1;
    dsp->upsample_h2v2 = upsample_h2v2;
    dsp->upsample_h1v2 = upsample_h1v2;
    dsp->replicate_h2 = replicate_h2;
}
