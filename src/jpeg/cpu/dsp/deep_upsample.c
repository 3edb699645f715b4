/* SPDX-License-Identifier: BSD-2-Clause */
/* Upsamples components of deep pictures, by the triangle filters of 8 bits (dsp/upsample.c) and by replication. */
#include "jpeg/cpu/dsp/deep.h"

void kst_jpeg_cpu_deep_upsample_h2v1(const uint16_t *in, uint16_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t left = i > 0 ? in[i - 1] : in[0], right = i + 1 < n ? in[i + 1] : in[i];
        out[2 * i] = (uint16_t)((3U * in[i] + left + 1) >> 2);
        out[2 * i + 1] = (uint16_t)((3U * in[i] + right + 2) >> 2);
    }
}

void kst_jpeg_cpu_deep_upsample_h2v2(const uint16_t *near, const uint16_t *far, uint16_t *out, uint32_t n)
{
    uint32_t sum = 3U * near[0] + far[0], left = sum;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t right = i + 1 < n ? 3U * near[i + 1] + far[i + 1] : sum;
        out[2 * i] = (uint16_t)((3 * sum + left + 8) >> 4);
        out[2 * i + 1] = (uint16_t)((3 * sum + right + 7) >> 4);
        left = sum;
        sum = right;
    }
}

void kst_jpeg_cpu_deep_upsample_h1v2(const uint16_t *near, const uint16_t *far, uint16_t *out, uint32_t n, bool lower)
{
    const uint32_t bias = lower ? 2 : 1;
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint16_t)((3U * near[i] + far[i] + bias) >> 2);
}

void kst_jpeg_cpu_deep_replicate(
    const struct jpeg_scaled *scaled, uint64_t from, const uint16_t *in, uint16_t *out, uint32_t width)
{
    uint32_t sample = (uint32_t)(from / scaled->h_out), rest = (uint32_t)(from % scaled->h_out);
    for (uint32_t x = 0; x < width; x++) {
        out[x] = in[sample < scaled->count ? sample : scaled->count - 1];
        for (rest += scaled->h_in; rest >= scaled->h_out; rest -= scaled->h_out)
            sample++;
    }
}
