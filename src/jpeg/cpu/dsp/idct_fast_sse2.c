/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the inverse DCT of idct_fast.c with SSE2, eight columns or rows at once. */
#include "jpeg/cpu/dsp/fast_sse2.h"
#include "jpeg/cpu/dsp/tiers.h"

INLINE struct jpeg_rows_8x8 transform(struct jpeg_rows_8x8 m)
{
    const __m128i sum = _mm_add_epi16(m.r0, m.r4), difference = _mm_sub_epi16(m.r0, m.r4);
    const __m128i t13 = _mm_add_epi16(m.r2, m.r6);
    const __m128i t12 = _mm_sub_epi16(fast_product(_mm_sub_epi16(m.r2, m.r6), FAST_1_414), t13);
    const __m128i t0 = _mm_add_epi16(sum, t13), t3 = _mm_sub_epi16(sum, t13);
    const __m128i t1 = _mm_add_epi16(difference, t12), t2 = _mm_sub_epi16(difference, t12);

    const __m128i z13 = _mm_add_epi16(m.r5, m.r3), z10 = _mm_sub_epi16(m.r5, m.r3);
    const __m128i z11 = _mm_add_epi16(m.r1, m.r7), z12 = _mm_sub_epi16(m.r1, m.r7);
    const __m128i t7 = _mm_add_epi16(z11, z13), t11 = fast_product(_mm_sub_epi16(z11, z13), FAST_1_414);
    const __m128i z5 = fast_product(_mm_add_epi16(z10, z12), FAST_1_847);
    const __m128i t10 = _mm_sub_epi16(fast_product(z12, FAST_1_082), z5);
    const __m128i t12_odd = _mm_add_epi16(_mm_sub_epi16(fast_product(z10, -FAST_1_613), z10), z5);
    const __m128i t6 = _mm_sub_epi16(t12_odd, t7), t5 = _mm_sub_epi16(t11, t6), t4 = _mm_add_epi16(t10, t5);
    return (struct jpeg_rows_8x8){
        _mm_add_epi16(t0, t7),
        _mm_add_epi16(t1, t6),
        _mm_add_epi16(t2, t5),
        _mm_sub_epi16(t3, t4),
        _mm_add_epi16(t3, t4),
        _mm_sub_epi16(t2, t5),
        _mm_sub_epi16(t1, t6),
        _mm_sub_epi16(t0, t7),
    };
}

INLINE __m128i load_row(const int16_t *coefficients, const uint16_t *multiplier)
{
    return _mm_mullo_epi16(load128(coefficients), load128(multiplier));
}

INLINE void store_rows(__m128i a, __m128i b, uint8_t *out, ptrdiff_t pitch)
{
    const int shift = FAST_PASS_BITS + 3;
    const __m128i bytes =
        _mm_xor_si128(_mm_packs_epi16(_mm_srai_epi16(a, shift), _mm_srai_epi16(b, shift)), _mm_set1_epi8((char)-128));
    _mm_storel_epi64((__m128i *)out, bytes);
    _mm_storel_epi64((__m128i *)(out + pitch), _mm_unpackhi_epi64(bytes, bytes));
}

static void idct_fast(
    const int16_t *coefficients, const uint16_t *multiplier, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    struct jpeg_rows_8x8 m = {
        load_row(coefficients, multiplier),
        load_row(coefficients + 8, multiplier + 8),
        load_row(coefficients + 16, multiplier + 16),
        load_row(coefficients + 24, multiplier + 24),
        load_row(coefficients + 32, multiplier + 32),
        load_row(coefficients + 40, multiplier + 40),
        load_row(coefficients + 48, multiplier + 48),
        load_row(coefficients + 56, multiplier + 56),
    };
    m = transpose(transform(transpose(transform(m))));
    store_rows(m.r0, m.r1, out, pitch);
    store_rows(m.r2, m.r3, out + 2 * pitch, pitch);
    store_rows(m.r4, m.r5, out + 4 * pitch, pitch);
    store_rows(m.r6, m.r7, out + 6 * pitch, pitch);
}

void kst_jpeg_cpu_idct_fast_sse2(struct jpeg_dsp *dsp)
{
    dsp->idct_fast = idct_fast;
}
