/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the 8×8 inverse DCT of idct.c with NEON, four columns at a time. */
#include "jpeg/cpu/dsp/idct_dc.h"
#include "jpeg/cpu/dsp/neon.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

enum {
    SHIFT_1 = DCT_BITS - DCT_PASS_BITS,
    SHIFT_2 = DCT_BITS + DCT_PASS_BITS + 3,
    ROUND_1 = 1 << (SHIFT_1 - 1),
    ROUND_2 = (1 << (SHIFT_2 - 1)) + (128 << SHIFT_2) /* includes the level shift */
};

/* Holds eight values for each of four columns; struct sums holds eight sums. */
struct values {
    int16x4_t v0, v1, v2, v3, v4, v5, v6, v7;
};

struct sums {
    int32x4_t s0, s1, s2, s3, s4, s5, s6, s7;
};

INLINE int32x4_t odd_sum(struct values c, int16_t k7, int16_t k5, int16_t k3, int16_t k1)
{
    return vmlal_n_s16(vmlal_n_s16(vmlal_n_s16(vmull_n_s16(c.v7, k7), c.v5, k5), c.v3, k3), c.v1, k1);
}

INLINE struct sums idct_8(struct values c, int rounding)
{
    const int32x4_t round = vdupq_n_s32(rounding);
    const int32x4_t c0 = vaddq_s32(vshll_n_s16(c.v0, DCT_BITS), round), c4 = vshll_n_s16(c.v4, DCT_BITS);
    const int32x4_t t0 = vaddq_s32(c0, c4), t1 = vsubq_s32(c0, c4);
    const int32x4_t t2 = vmlal_n_s16(vmull_n_s16(c.v2, F_0_541), c.v6, F_0_541 - F_1_847);
    const int32x4_t t3 = vmlal_n_s16(vmull_n_s16(c.v2, F_0_541 + F_0_765), c.v6, F_0_541);
    const int32x4_t even0 = vaddq_s32(t0, t3), even1 = vaddq_s32(t1, t2);
    const int32x4_t even2 = vsubq_s32(t1, t2), even3 = vsubq_s32(t0, t3);
    const int32x4_t odd0 = odd_sum(c, ODD_00, ODD_01, ODD_02, ODD_03);
    const int32x4_t odd1 = odd_sum(c, ODD_10, ODD_11, ODD_12, ODD_13);
    const int32x4_t odd2 = odd_sum(c, ODD_20, ODD_21, ODD_22, ODD_23);
    const int32x4_t odd3 = odd_sum(c, ODD_30, ODD_31, ODD_32, ODD_33);
    return (struct sums){
        vaddq_s32(even0, odd3),
        vaddq_s32(even1, odd2),
        vaddq_s32(even2, odd1),
        vaddq_s32(even3, odd0),
        vsubq_s32(even3, odd0),
        vsubq_s32(even2, odd1),
        vsubq_s32(even1, odd2),
        vsubq_s32(even0, odd3),
    };
}

INLINE struct values low_half(struct jpeg_rows_8x8 m)
{
    return (struct values){vget_low_s16(m.r0), vget_low_s16(m.r1), vget_low_s16(m.r2), vget_low_s16(m.r3),
        vget_low_s16(m.r4), vget_low_s16(m.r5), vget_low_s16(m.r6), vget_low_s16(m.r7)};
}

INLINE struct values high_half(struct jpeg_rows_8x8 m)
{
    return (struct values){vget_high_s16(m.r0), vget_high_s16(m.r1), vget_high_s16(m.r2), vget_high_s16(m.r3),
        vget_high_s16(m.r4), vget_high_s16(m.r5), vget_high_s16(m.r6), vget_high_s16(m.r7)};
}

INLINE int16x8_t narrow_1(int32x4_t low, int32x4_t high)
{
    return vcombine_s16(vqshrn_n_s32(low, SHIFT_1), vqshrn_n_s32(high, SHIFT_1));
}

/* After the shift at most 14 bits are left, so narrowing needs no saturation. */
INLINE int16x8_t narrow_2(int32x4_t low, int32x4_t high)
{
    return vcombine_s16(vmovn_s32(vshrq_n_s32(low, SHIFT_2)), vmovn_s32(vshrq_n_s32(high, SHIFT_2)));
}

INLINE int16x8_t load_row(const int16_t *coefficients, const uint16_t *quant, int row)
{
    return vmulq_s16(vld1q_s16(coefficients + 8 * row), vreinterpretq_s16_u16(vld1q_u16(quant + 8 * row)));
}

static void idct_8x8(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    if (last == 0) {
        idct_dc(coefficients[0], quant[0], out, pitch);
        return;
    }
    struct jpeg_rows_8x8 m = {
        load_row(coefficients, quant, 0),
        load_row(coefficients, quant, 1),
        load_row(coefficients, quant, 2),
        load_row(coefficients, quant, 3),
        load_row(coefficients, quant, 4),
        load_row(coefficients, quant, 5),
        load_row(coefficients, quant, 6),
        load_row(coefficients, quant, 7),
    };
    struct sums low = idct_8(low_half(m), ROUND_1), high = idct_8(high_half(m), ROUND_1);
    m = transpose((struct jpeg_rows_8x8){narrow_1(low.s0, high.s0), narrow_1(low.s1, high.s1),
        narrow_1(low.s2, high.s2), narrow_1(low.s3, high.s3), narrow_1(low.s4, high.s4), narrow_1(low.s5, high.s5),
        narrow_1(low.s6, high.s6), narrow_1(low.s7, high.s7)});
    low = idct_8(low_half(m), ROUND_2);
    high = idct_8(high_half(m), ROUND_2);
    m = transpose((struct jpeg_rows_8x8){narrow_2(low.s0, high.s0), narrow_2(low.s1, high.s1),
        narrow_2(low.s2, high.s2), narrow_2(low.s3, high.s3), narrow_2(low.s4, high.s4), narrow_2(low.s5, high.s5),
        narrow_2(low.s6, high.s6), narrow_2(low.s7, high.s7)});
    vst1_u8(out, vqmovun_s16(m.r0));
    vst1_u8(out + pitch, vqmovun_s16(m.r1));
    vst1_u8(out + 2 * pitch, vqmovun_s16(m.r2));
    vst1_u8(out + 3 * pitch, vqmovun_s16(m.r3));
    vst1_u8(out + 4 * pitch, vqmovun_s16(m.r4));
    vst1_u8(out + 5 * pitch, vqmovun_s16(m.r5));
    vst1_u8(out + 6 * pitch, vqmovun_s16(m.r6));
    vst1_u8(out + 7 * pitch, vqmovun_s16(m.r7));
}

void kst_jpeg_cpu_idct_neon(struct jpeg_dsp *dsp)
{
    dsp->idct[8] = idct_8x8;
}
