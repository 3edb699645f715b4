/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the forward DCT of fdct_fast.c with SSE2; the first pass transforms the transposed block. */
#include <string.h>

#include "jpeg/cpu/dsp/fast_sse2.h"
#include "jpeg/cpu/dsp/quantise.h"
#include "jpeg/cpu/dsp/quantise_sse2.h"
#include "jpeg/cpu/dsp/tiers.h"

INLINE struct jpeg_rows_8x8 transform(struct jpeg_rows_8x8 m)
{
    const __m128i t0 = _mm_add_epi16(m.r0, m.r7), t7 = _mm_sub_epi16(m.r0, m.r7);
    const __m128i t1 = _mm_add_epi16(m.r1, m.r6), t6 = _mm_sub_epi16(m.r1, m.r6);
    const __m128i t2 = _mm_add_epi16(m.r2, m.r5), t5 = _mm_sub_epi16(m.r2, m.r5);
    const __m128i t3 = _mm_add_epi16(m.r3, m.r4), t4 = _mm_sub_epi16(m.r3, m.r4);
    const __m128i s0 = _mm_add_epi16(t0, t3), s3 = _mm_sub_epi16(t0, t3);
    const __m128i s1 = _mm_add_epi16(t1, t2), s2 = _mm_sub_epi16(t1, t2);
    const __m128i z1 = fast_product(_mm_add_epi16(s2, s3), FAST_0_707);

    const __m128i s4 = _mm_add_epi16(t4, t5), s5 = _mm_add_epi16(t5, t6), s6 = _mm_add_epi16(t6, t7);
    const __m128i z5 = fast_product(_mm_sub_epi16(s4, s6), FAST_0_382);
    const __m128i z2 = _mm_add_epi16(fast_product(s4, FAST_0_541), z5);
    const __m128i z4 = _mm_add_epi16(fast_product(s6, FAST_1_306), z5);
    const __m128i z3 = fast_product(s5, FAST_0_707);
    const __m128i z11 = _mm_add_epi16(t7, z3), z13 = _mm_sub_epi16(t7, z3);
    return (struct jpeg_rows_8x8){
        _mm_add_epi16(s0, s1),
        _mm_add_epi16(z11, z4),
        _mm_add_epi16(s3, z1),
        _mm_sub_epi16(z13, z2),
        _mm_sub_epi16(s0, s1),
        _mm_add_epi16(z13, z2),
        _mm_sub_epi16(s3, z1),
        _mm_sub_epi16(z11, z4),
    };
}

/* Quantise with the functions of plain C, which can divide by 1 and 2. */
static void quantise_each(struct jpeg_rows_8x8 m, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    int16_t block[64];
    memcpy(block, &m, sizeof block);
    for (int i = 0; i < 64; i++)
        out[i] = quantise(block[i], quantizer, i);
}

static void fdct_fast(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    const struct jpeg_rows_8x8 m = transform(transpose(transform(transpose(load_block(in, pitch)))));
    if (quantizer->small)
        quantise_each(m, quantizer, out);
    else
        quantise_block(m, quantizer, out);
}

void kst_jpeg_cpu_fdct_fast_sse2(struct jpeg_dsp *dsp)
{
    dsp->fdct_fast = fdct_fast;
}
