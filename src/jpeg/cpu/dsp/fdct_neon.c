/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the forward DCT and quantisation of fdct.c with NEON; the first pass transforms the transposed block. */
#include "jpeg/cpu/dsp/neon.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

INLINE int16x8_t load_row(const uint8_t *in)
{
    return vreinterpretq_s16_u16(vsubl_u8(vld1_u8(in), vdup_n_u8(128)));
}

INLINE int16x8_t narrow(int32x4_t low, int32x4_t high, bool first)
{
    return first
               ? vcombine_s16(vrshrn_n_s32(low, DCT_BITS - DCT_PASS_BITS), vrshrn_n_s32(high, DCT_BITS - DCT_PASS_BITS))
               : vcombine_s16(
                     vrshrn_n_s32(low, DCT_BITS + DCT_PASS_BITS), vrshrn_n_s32(high, DCT_BITS + DCT_PASS_BITS));
}

INLINE int16x8_t of_two(int16x8_t a, int16_t ka, int16x8_t b, int16_t kb, bool first)
{
    return narrow(vmlal_n_s16(vmull_n_s16(vget_low_s16(a), ka), vget_low_s16(b), kb),
        vmlal_n_s16(vmull_n_s16(vget_high_s16(a), ka), vget_high_s16(b), kb), first);
}

struct odd {
    int16x8_t t4, t5, t6, t7;
};

INLINE int16x8_t of_four(struct odd t, int16_t k4, int16_t k5, int16_t k6, int16_t k7, bool first)
{
    int32x4_t low = vmull_n_s16(vget_low_s16(t.t4), k4), high = vmull_n_s16(vget_high_s16(t.t4), k4);
    low = vmlal_n_s16(low, vget_low_s16(t.t5), k5);
    high = vmlal_n_s16(high, vget_high_s16(t.t5), k5);
    low = vmlal_n_s16(low, vget_low_s16(t.t6), k6);
    high = vmlal_n_s16(high, vget_high_s16(t.t6), k6);
    low = vmlal_n_s16(low, vget_low_s16(t.t7), k7);
    high = vmlal_n_s16(high, vget_high_s16(t.t7), k7);
    return narrow(low, high, first);
}

INLINE struct jpeg_rows_8x8 transform(struct jpeg_rows_8x8 m, bool first)
{
    const int16x8_t t0 = vaddq_s16(m.r0, m.r7), t1 = vaddq_s16(m.r1, m.r6);
    const int16x8_t t2 = vaddq_s16(m.r2, m.r5), t3 = vaddq_s16(m.r3, m.r4);
    const struct odd t = {vsubq_s16(m.r3, m.r4), vsubq_s16(m.r2, m.r5), vsubq_s16(m.r1, m.r6), vsubq_s16(m.r0, m.r7)};
    const int16x8_t t10 = vaddq_s16(t0, t3), t13 = vsubq_s16(t0, t3);
    const int16x8_t t11 = vaddq_s16(t1, t2), t12 = vsubq_s16(t1, t2);
    const int16_t one = 1 << DCT_BITS;
    return (struct jpeg_rows_8x8){
        of_two(t10, one, t11, one, first),
        of_four(t, ODD_30, ODD_31, ODD_32, ODD_33, first),
        of_two(t13, F_0_541 + F_0_765, t12, F_0_541, first),
        of_four(t, ODD_20, ODD_21, ODD_22, ODD_23, first),
        of_two(t10, one, t11, -one, first),
        of_four(t, ODD_10, ODD_11, ODD_12, ODD_13, first),
        of_two(t13, F_0_541, t12, F_0_541 - F_1_847, first),
        of_four(t, ODD_00, ODD_01, ODD_02, ODD_03, first),
    };
}

INLINE uint16x8_t multiply_high(uint16x8_t a, uint16x8_t b)
{
    return vcombine_u16(vshrn_n_u32(vmull_u16(vget_low_u16(a), vget_low_u16(b)), 16),
        vshrn_n_u32(vmull_u16(vget_high_u16(a), vget_high_u16(b)), 16));
}

INLINE void quantise(int16x8_t v, const struct jpeg_quantizer *q, int i, int16_t *out)
{
    const uint16x8_t corrected = vaddq_u16(vreinterpretq_u16_s16(vabsq_s16(v)), vld1q_u16(q->correction + i));
    const uint16x8_t product = multiply_high(corrected, vld1q_u16(q->reciprocal + i));
    const int16x8_t quotient = vreinterpretq_s16_u16(multiply_high(product, vld1q_u16(q->scale + i)));
    vst1q_s16(out + i, vbslq_s16(vcltzq_s16(v), vnegq_s16(quotient), quotient));
}

static void fdct(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    struct jpeg_rows_8x8 m = {
        load_row(in),
        load_row(in + pitch),
        load_row(in + 2 * pitch),
        load_row(in + 3 * pitch),
        load_row(in + 4 * pitch),
        load_row(in + 5 * pitch),
        load_row(in + 6 * pitch),
        load_row(in + 7 * pitch),
    };
    m = transform(transpose(transform(transpose(m), true)), false);
    quantise(m.r0, quantizer, 0, out);
    quantise(m.r1, quantizer, 8, out);
    quantise(m.r2, quantizer, 16, out);
    quantise(m.r3, quantizer, 24, out);
    quantise(m.r4, quantizer, 32, out);
    quantise(m.r5, quantizer, 40, out);
    quantise(m.r6, quantizer, 48, out);
    quantise(m.r7, quantizer, 56, out);
}

void kst_jpeg_cpu_fdct_neon(struct jpeg_dsp *dsp)
{
    dsp->fdct = fdct;
}
