/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the 8×8 inverse DCT of idct.c with SSE2, as products of pairs. */
#include "jpeg/cpu/dsp/idct_dc.h"
#include "jpeg/cpu/dsp/sse2.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

enum {
    SHIFT_1 = DCT_BITS - DCT_PASS_BITS,
    SHIFT_2 = DCT_BITS + DCT_PASS_BITS + 3,
    ROUND_1 = 1 << (SHIFT_1 - 1),
    ROUND_2 = (1 << (SHIFT_2 - 1)) + (128 << SHIFT_2), /* includes the level shift */
    ONE = 1 << DCT_BITS
};

/* Holds eight outputs for each of four columns. */
struct sums {
    __m128i s0, s1, s2, s3, s4, s5, s6, s7;
};

/* Compute the outputs from vectors of the pairs (0, 4), (2, 6), (1, 5), (3, 7). */
INLINE struct sums idct_8(__m128i p04, __m128i p26, __m128i p15, __m128i p37, int rounding, int shift)
{
    const __m128i round = _mm_set1_epi32(rounding);
    const __m128i t0 = _mm_add_epi32(_mm_madd_epi16(p04, factors(ONE, ONE)), round);
    const __m128i t1 = _mm_add_epi32(_mm_madd_epi16(p04, factors(ONE, -ONE)), round);
    const __m128i t2 = _mm_madd_epi16(p26, factors(F_0_541, F_0_541 - F_1_847));
    const __m128i t3 = _mm_madd_epi16(p26, factors(F_0_541 + F_0_765, F_0_541));
    const __m128i even0 = _mm_add_epi32(t0, t3), even1 = _mm_add_epi32(t1, t2);
    const __m128i even2 = _mm_sub_epi32(t1, t2), even3 = _mm_sub_epi32(t0, t3);
    const __m128i odd0 = sum_of_products(p15, factors(ODD_03, ODD_01), p37, factors(ODD_02, ODD_00));
    const __m128i odd1 = sum_of_products(p15, factors(ODD_13, ODD_11), p37, factors(ODD_12, ODD_10));
    const __m128i odd2 = sum_of_products(p15, factors(ODD_23, ODD_21), p37, factors(ODD_22, ODD_20));
    const __m128i odd3 = sum_of_products(p15, factors(ODD_33, ODD_31), p37, factors(ODD_32, ODD_30));
    return (struct sums){
        _mm_srai_epi32(_mm_add_epi32(even0, odd3), shift),
        _mm_srai_epi32(_mm_add_epi32(even1, odd2), shift),
        _mm_srai_epi32(_mm_add_epi32(even2, odd1), shift),
        _mm_srai_epi32(_mm_add_epi32(even3, odd0), shift),
        _mm_srai_epi32(_mm_sub_epi32(even3, odd0), shift),
        _mm_srai_epi32(_mm_sub_epi32(even2, odd1), shift),
        _mm_srai_epi32(_mm_sub_epi32(even1, odd2), shift),
        _mm_srai_epi32(_mm_sub_epi32(even0, odd3), shift),
    };
}

INLINE struct jpeg_rows_8x8 transform(struct jpeg_rows_8x8 m, int rounding, int shift)
{
    const struct sums low = idct_8(_mm_unpacklo_epi16(m.r0, m.r4), _mm_unpacklo_epi16(m.r2, m.r6),
        _mm_unpacklo_epi16(m.r1, m.r5), _mm_unpacklo_epi16(m.r3, m.r7), rounding, shift);
    const struct sums high = idct_8(_mm_unpackhi_epi16(m.r0, m.r4), _mm_unpackhi_epi16(m.r2, m.r6),
        _mm_unpackhi_epi16(m.r1, m.r5), _mm_unpackhi_epi16(m.r3, m.r7), rounding, shift);
    return (struct jpeg_rows_8x8){
        _mm_packs_epi32(low.s0, high.s0),
        _mm_packs_epi32(low.s1, high.s1),
        _mm_packs_epi32(low.s2, high.s2),
        _mm_packs_epi32(low.s3, high.s3),
        _mm_packs_epi32(low.s4, high.s4),
        _mm_packs_epi32(low.s5, high.s5),
        _mm_packs_epi32(low.s6, high.s6),
        _mm_packs_epi32(low.s7, high.s7),
    };
}

INLINE __m128i load_row(const int16_t *coefficients, const uint16_t *quant)
{
    return _mm_mullo_epi16(load128(coefficients), load128(quant));
}

INLINE void store_row_pair(__m128i rows, uint8_t *a, uint8_t *b)
{
    _mm_storel_epi64((__m128i *)a, rows);
    _mm_storel_epi64((__m128i *)b, _mm_unpackhi_epi64(rows, rows));
}

/* Bring four columns of 8 rows in order: rows 0–3 go to `upper`, rows 4–7 to `lower`. */
INLINE void interleave(__m128i c02, __m128i c13, __m128i *upper, __m128i *lower)
{
    *upper = _mm_unpacklo_epi8(c02, c13);
    *lower = _mm_unpackhi_epi8(c02, c13);
}

INLINE void store_columns(struct jpeg_rows_8x8 c, uint8_t *out, ptrdiff_t pitch)
{
    const __m128i c04 = _mm_packus_epi16(c.r0, c.r4), c15 = _mm_packus_epi16(c.r1, c.r5);
    const __m128i c26 = _mm_packus_epi16(c.r2, c.r6), c37 = _mm_packus_epi16(c.r3, c.r7);
    __m128i left_upper, left_lower, right_upper, right_lower;
    interleave(_mm_unpacklo_epi8(c04, c26), _mm_unpacklo_epi8(c15, c37), &left_upper, &left_lower);
    interleave(_mm_unpackhi_epi8(c04, c26), _mm_unpackhi_epi8(c15, c37), &right_upper, &right_lower);
    store_row_pair(_mm_unpacklo_epi32(left_upper, right_upper), out, out + pitch);
    store_row_pair(_mm_unpackhi_epi32(left_upper, right_upper), out + 2 * pitch, out + 3 * pitch);
    store_row_pair(_mm_unpacklo_epi32(left_lower, right_lower), out + 4 * pitch, out + 5 * pitch);
    store_row_pair(_mm_unpackhi_epi32(left_lower, right_lower), out + 6 * pitch, out + 7 * pitch);
}

static void idct_8x8(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    if (last == 0) {
        idct_dc(coefficients[0], quant[0], out, pitch);
        return;
    }
    struct jpeg_rows_8x8 m = {
        load_row(coefficients, quant),
        load_row(coefficients + 8, quant + 8),
        load_row(coefficients + 16, quant + 16),
        load_row(coefficients + 24, quant + 24),
        load_row(coefficients + 32, quant + 32),
        load_row(coefficients + 40, quant + 40),
        load_row(coefficients + 48, quant + 48),
        load_row(coefficients + 56, quant + 56),
    };
    m = transpose(transform(m, ROUND_1, SHIFT_1));
    store_columns(transform(m, ROUND_2, SHIFT_2), out, pitch);
}

void kst_jpeg_cpu_idct_sse2(struct jpeg_dsp *dsp)
{
    dsp->idct[8] = idct_8x8;
}
