/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the forward DCT and quantisation of fdct.c with SSE2, as products of pairs; the first pass transforms the
 * transposed block.
 */
#include "jpeg/cpu/dsp/quantise_sse2.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

INLINE __m128i descale_and_pack(__m128i low, __m128i high, int shift)
{
    const __m128i round = _mm_set1_epi32(1 << (shift - 1));
    return _mm_packs_epi32(
        _mm_srai_epi32(_mm_add_epi32(low, round), shift), _mm_srai_epi32(_mm_add_epi32(high, round), shift));
}

/* Compute one output from the pairs (a, b); from_pairs() computes it from the pairs (a, b) and (c, d). */
INLINE __m128i from_pair(__m128i a, __m128i b, __m128i k, int shift)
{
    return descale_and_pack(
        _mm_madd_epi16(_mm_unpacklo_epi16(a, b), k), _mm_madd_epi16(_mm_unpackhi_epi16(a, b), k), shift);
}

INLINE __m128i from_pairs(__m128i a, __m128i b, __m128i k, __m128i c, __m128i d, __m128i l, int shift)
{
    return descale_and_pack(sum_of_products(_mm_unpacklo_epi16(a, b), k, _mm_unpacklo_epi16(c, d), l),
        sum_of_products(_mm_unpackhi_epi16(a, b), k, _mm_unpackhi_epi16(c, d), l), shift);
}

INLINE struct jpeg_rows_8x8 transform(struct jpeg_rows_8x8 m, int shift)
{
    const __m128i t0 = _mm_add_epi16(m.r0, m.r7), t7 = _mm_sub_epi16(m.r0, m.r7);
    const __m128i t1 = _mm_add_epi16(m.r1, m.r6), t6 = _mm_sub_epi16(m.r1, m.r6);
    const __m128i t2 = _mm_add_epi16(m.r2, m.r5), t5 = _mm_sub_epi16(m.r2, m.r5);
    const __m128i t3 = _mm_add_epi16(m.r3, m.r4), t4 = _mm_sub_epi16(m.r3, m.r4);
    const __m128i t10 = _mm_add_epi16(t0, t3), t13 = _mm_sub_epi16(t0, t3);
    const __m128i t11 = _mm_add_epi16(t1, t2), t12 = _mm_sub_epi16(t1, t2);
    const int one = 1 << DCT_BITS;
    return (struct jpeg_rows_8x8){
        from_pair(t10, t11, factors(one, one), shift),
        from_pairs(t7, t6, factors(ODD_33, ODD_32), t5, t4, factors(ODD_31, ODD_30), shift),
        from_pair(t13, t12, factors(F_0_541 + F_0_765, F_0_541), shift),
        from_pairs(t7, t6, factors(ODD_23, ODD_22), t5, t4, factors(ODD_21, ODD_20), shift),
        from_pair(t10, t11, factors(one, -one), shift),
        from_pairs(t7, t6, factors(ODD_13, ODD_12), t5, t4, factors(ODD_11, ODD_10), shift),
        from_pair(t13, t12, factors(F_0_541, F_0_541 - F_1_847), shift),
        from_pairs(t7, t6, factors(ODD_03, ODD_02), t5, t4, factors(ODD_01, ODD_00), shift),
    };
}

static void fdct(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    struct jpeg_rows_8x8 m = load_block(in, pitch);
    m = transpose(transform(transpose(m), DCT_BITS - DCT_PASS_BITS));
    quantise_block(transform(m, DCT_BITS + DCT_PASS_BITS), quantizer, out);
}

void kst_jpeg_cpu_fdct_sse2(struct jpeg_dsp *dsp)
{
    dsp->fdct = fdct;
}
