/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the inverse DCTs of idct_reduced.c with SSE2, as products of pairs, all eight columns at once. */
#include <string.h>

#include "jpeg/cpu/dsp/sse2.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

INLINE __m128i load_row(const int16_t *coefficients, const uint16_t *quant, int row)
{
    return _mm_mullo_epi16(load128(coefficients + 8 * row), load128(quant + 8 * row));
}

INLINE __m128i descale(__m128i sum, int bits)
{
    return _mm_srai_epi32(_mm_add_epi32(sum, _mm_set1_epi32(1 << (bits - 1))), bits);
}

INLINE __m128i descale_sample(__m128i sum, int bits)
{
    return _mm_srai_epi32(_mm_add_epi32(sum, _mm_set1_epi32((1 << (bits - 1)) + (128 << bits))), bits);
}

/* Holds four outputs for each of four columns. */
struct sums_4 {
    __m128i s0, s1, s2, s3;
};

/* Compute outputs from value 0, in the upper halves of 32-bit elements, and the pairs (2, 6), (1, 3), (5, 7). */
INLINE struct sums_4 idct_4(__m128i p_0, __m128i p26, __m128i p13, __m128i p57)
{
    const __m128i t0 = _mm_srai_epi32(p_0, 16 - (DCT_BITS + 1)), t2 = _mm_madd_epi16(p26, factors(F_1_847, -F_0_765));
    const __m128i odd0 = sum_of_products(p13, factors(F_1_061, -F_2_172), p57, factors(F_1_451, -F_0_211));
    const __m128i odd2 = sum_of_products(p13, factors(F_2_562, F_0_899), p57, factors(-F_0_601, -F_0_509));
    const __m128i even0 = _mm_add_epi32(t0, t2), even1 = _mm_sub_epi32(t0, t2);
    return (struct sums_4){
        _mm_add_epi32(even0, odd2), _mm_add_epi32(even1, odd0), _mm_sub_epi32(even1, odd0), _mm_sub_epi32(even0, odd2)};
}

static void idct_4x4(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    enum { SHIFT_1 = DCT_BITS - DCT_PASS_BITS + 1, SHIFT_2 = DCT_BITS + DCT_PASS_BITS + 3 + 1 };
    const __m128i zero = _mm_setzero_si128();
    const __m128i c0 = load_row(coefficients, quant, 0), c1 = load_row(coefficients, quant, 1);
    const __m128i c2 = load_row(coefficients, quant, 2), c3 = load_row(coefficients, quant, 3);
    const __m128i c5 = load_row(coefficients, quant, 5), c6 = load_row(coefficients, quant, 6);
    const __m128i c7 = load_row(coefficients, quant, 7);
    const struct sums_4 left = idct_4(_mm_unpacklo_epi16(zero, c0), _mm_unpacklo_epi16(c2, c6),
        _mm_unpacklo_epi16(c1, c3), _mm_unpacklo_epi16(c5, c7));
    const struct sums_4 right = idct_4(_mm_unpackhi_epi16(zero, c0), _mm_unpackhi_epi16(c2, c6),
        _mm_unpackhi_epi16(c1, c3), _mm_unpackhi_epi16(c5, c7));

    /* These are rows, then columns of 4 elements, two in each vector. */
    const __m128i r0 = _mm_packs_epi32(descale(left.s0, SHIFT_1), descale(right.s0, SHIFT_1));
    const __m128i r1 = _mm_packs_epi32(descale(left.s1, SHIFT_1), descale(right.s1, SHIFT_1));
    const __m128i r2 = _mm_packs_epi32(descale(left.s2, SHIFT_1), descale(right.s2, SHIFT_1));
    const __m128i r3 = _mm_packs_epi32(descale(left.s3, SHIFT_1), descale(right.s3, SHIFT_1));
    const __m128i left01 = _mm_unpacklo_epi16(r0, r1), left23 = _mm_unpacklo_epi16(r2, r3);
    const __m128i right01 = _mm_unpackhi_epi16(r0, r1), right23 = _mm_unpackhi_epi16(r2, r3);
    const __m128i c01 = _mm_unpacklo_epi32(left01, left23), c23 = _mm_unpackhi_epi32(left01, left23);
    const __m128i c45 = _mm_unpacklo_epi32(right01, right23), c67 = _mm_unpackhi_epi32(right01, right23);

    const struct sums_4 v = idct_4(_mm_unpacklo_epi16(zero, c01), _mm_unpacklo_epi16(c23, c67),
        _mm_unpackhi_epi16(c01, c23), _mm_unpackhi_epi16(c45, c67));
    const __m128i v02 = _mm_packs_epi32(descale_sample(v.s0, SHIFT_2), descale_sample(v.s2, SHIFT_2));
    const __m128i v13 = _mm_packs_epi32(descale_sample(v.s1, SHIFT_2), descale_sample(v.s3, SHIFT_2));
    const __m128i v01 = _mm_unpacklo_epi16(v02, v13), v23 = _mm_unpackhi_epi16(v02, v13);
    const __m128i samples = _mm_packus_epi16(_mm_unpacklo_epi32(v01, v23), _mm_unpackhi_epi32(v01, v23));
    uint8_t bytes[16];
    store128(bytes, samples);
    for (int y = 0; y < 4; y++)
        memcpy(out + y * pitch, bytes + 4 * y, 4);
}

static void idct_2x2(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    enum { SHIFT_1 = DCT_BITS - DCT_PASS_BITS + 2, SHIFT_2 = DCT_BITS + DCT_PASS_BITS + 3 + 2 };
    const __m128i zero = _mm_setzero_si128();
    const __m128i c0 = load_row(coefficients, quant, 0), c1 = load_row(coefficients, quant, 1);
    const __m128i c3 = load_row(coefficients, quant, 3), c5 = load_row(coefficients, quant, 5);
    const __m128i c7 = load_row(coefficients, quant, 7);
    const __m128i k13 = factors(F_3_624, -F_1_272), k57 = factors(F_0_850, -F_0_720);
    const __m128i left_even = _mm_srai_epi32(_mm_unpacklo_epi16(zero, c0), 16 - (DCT_BITS + 2));
    const __m128i right_even = _mm_srai_epi32(_mm_unpackhi_epi16(zero, c0), 16 - (DCT_BITS + 2));
    const __m128i left_odd = sum_of_products(_mm_unpacklo_epi16(c1, c3), k13, _mm_unpacklo_epi16(c5, c7), k57);
    const __m128i right_odd = sum_of_products(_mm_unpackhi_epi16(c1, c3), k13, _mm_unpackhi_epi16(c5, c7), k57);
    const __m128i left0 = descale(_mm_add_epi32(left_even, left_odd), SHIFT_1);
    const __m128i left1 = descale(_mm_sub_epi32(left_even, left_odd), SHIFT_1);
    const __m128i right0 = descale(_mm_add_epi32(right_even, right_odd), SHIFT_1);
    const __m128i right1 = descale(_mm_sub_epi32(right_even, right_odd), SHIFT_1);

    const __m128i k = _mm_setr_epi16(0, F_3_624, 0, -F_1_272, 0, F_0_850, 0, -F_0_720);
    const __m128i row0 = _mm_madd_epi16(_mm_packs_epi32(left0, right0), k);
    const __m128i row1 = _mm_madd_epi16(_mm_packs_epi32(left1, right1), k);
    const __m128i halves = _mm_add_epi32(_mm_unpacklo_epi32(row0, row1), _mm_unpackhi_epi32(row0, row1));
    const __m128i odd = _mm_add_epi32(halves, _mm_shuffle_epi32(halves, 0x4E));
    const __m128i even = _mm_slli_epi32(_mm_unpacklo_epi32(left0, left1), DCT_BITS + 2);
    const __m128i sums = _mm_unpacklo_epi32(_mm_add_epi32(even, odd), _mm_sub_epi32(even, odd));
    const __m128i words = _mm_packs_epi32(descale_sample(sums, SHIFT_2), zero);
    const uint32_t samples = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(words, zero));
    const uint16_t upper = (uint16_t)samples, lower = (uint16_t)(samples >> 16);
    memcpy(out, &upper, 2);
    memcpy(out + pitch, &lower, 2);
}

void kst_jpeg_cpu_idct_reduced_sse2(struct jpeg_dsp *dsp)
{
    dsp->idct[4] = idct_4x4;
    dsp->idct[2] = idct_2x2;
}
