/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the averages of downsample.c with NEON. */
#include "jpeg/cpu/dsp/neon.h"
#include "jpeg/cpu/dsp/tiers.h"

static void downsample_h2v1(const uint8_t *in, uint8_t *out, uint32_t n)
{
    const uint16x8_t bias = vreinterpretq_u16_u32(vdupq_n_u32(0x10000));
    for (size_t i = 0; i < n; i += 8)
        vst1_u8(out + i, vshrn_n_u16(vpadalq_u8(bias, vld1q_u8(in + 2 * i)), 1));
}

static void downsample_h2v2(const uint8_t *upper, const uint8_t *lower, uint8_t *out, uint32_t n)
{
    const uint16x8_t bias = vreinterpretq_u16_u32(vdupq_n_u32(0x20001));
    for (size_t i = 0; i < n; i += 8) {
        const uint16x8_t sum = vpadalq_u8(vpadalq_u8(bias, vld1q_u8(upper + 2 * i)), vld1q_u8(lower + 2 * i));
        vst1_u8(out + i, vshrn_n_u16(sum, 2));
    }
}

void kst_jpeg_cpu_downsample_neon(struct jpeg_dsp *dsp)
{
    dsp->downsample_h2v1 = downsample_h2v1;
    dsp->downsample_h2v2 = downsample_h2v2;
}
