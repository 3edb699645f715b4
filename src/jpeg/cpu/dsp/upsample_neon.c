/* SPDX-License-Identifier: BSD-2-Clause */
/* Upsamples with NEON, as explained in upsample_avx2.c; here an instruction computes averages that round down. */
#include "jpeg/cpu/dsp/neon.h"
#include "jpeg/cpu/dsp/tiers.h"

INLINE uint8x16_t blend_bias_1(uint8x16_t near, uint8x16_t far)
{
    return vhaddq_u8(near, vrhaddq_u8(near, far));
}

INLINE uint8x16_t blend_bias_2(uint8x16_t near, uint8x16_t far)
{
    return vrhaddq_u8(near, vhaddq_u8(near, far));
}

INLINE uint8x16_t load_left(const uint8_t *in, uint32_t i)
{
    return i != 0 ? vld1q_u8(in + i - 1) : vextq_u8(vdupq_n_u8(0), vld1q_u8(in), 15);
}

static void upsample_h2v1(const uint8_t *in, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 16) {
        const uint8x16_t this = vld1q_u8(in + i);
        const uint8x16x2_t both = {{blend_bias_1(this, load_left(in, i)), blend_bias_2(this, vld1q_u8(in + i + 1))}};
        vst2q_u8(out + 2 * i, both);
    }
    out[0] = in[0];
    out[2 * n - 1] = in[n - 1];
}

INLINE uint16x8_t column(uint8x8_t near, uint8x8_t far)
{
    return vaddw_u8(vmull_u8(near, vdup_n_u8(3)), far);
}

/* Compute 16 even or 16 odd outputs from columns and a neighbour on one side; the bias is 7 or 8. */
INLINE uint8x16_t blend_h2v2(uint8x16_t near, uint8x16_t far, uint8x16_t side_near, uint8x16_t side_far, uint16_t bias)
{
    const uint16x8_t low = vmlaq_n_u16(
        column(vget_low_u8(side_near), vget_low_u8(side_far)), column(vget_low_u8(near), vget_low_u8(far)), 3);
    const uint16x8_t high = vmlaq_n_u16(
        column(vget_high_u8(side_near), vget_high_u8(side_far)), column(vget_high_u8(near), vget_high_u8(far)), 3);
    return vcombine_u8(
        vshrn_n_u16(vaddq_u16(low, vdupq_n_u16(bias)), 4), vshrn_n_u16(vaddq_u16(high, vdupq_n_u16(bias)), 4));
}

static void upsample_h2v2(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 16) {
        const uint8x16_t a = vld1q_u8(near + i), b = vld1q_u8(far + i);
        const uint8x16x2_t both = {{blend_h2v2(a, b, load_left(near, i), load_left(far, i), 8),
            blend_h2v2(a, b, vld1q_u8(near + i + 1), vld1q_u8(far + i + 1), 7)}};
        vst2q_u8(out + 2 * i, both);
    }
    out[0] = (uint8_t)((3 * near[0] + far[0] + 2) >> 2);
    out[2 * n - 1] = (uint8_t)((4 * (3 * near[n - 1] + far[n - 1]) + 7) >> 4);
}

static void upsample_h1v2(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n, bool lower)
{
    for (uint32_t i = 0; i < n; i += 16) {
        const uint8x16_t a = vld1q_u8(near + i), b = vld1q_u8(far + i);
        vst1q_u8(out + i, lower ? blend_bias_2(a, b) : blend_bias_1(a, b));
    }
}

static void replicate_h2(const uint8_t *in, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 16) {
        const uint8x16_t v = vld1q_u8(in + i);
        vst2q_u8(out + 2 * i, ((uint8x16x2_t){{v, v}}));
    }
}

void kst_jpeg_cpu_upsample_neon(struct jpeg_dsp *dsp)
{
    dsp->upsample_h2v1 = upsample_h2v1;
    dsp->upsample_h2v2 = upsample_h2v2;
    dsp->upsample_h1v2 = upsample_h1v2;
    dsp->replicate_h2 = replicate_h2;
}
