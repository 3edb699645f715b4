/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the 8×8 inverse DCT of idct.c with AVX2, as products of pairs. A vector of pairs (i, j) holds values i and
 * j of a column (in the second pass, of a row) as neighbouring 16-bit elements, one pair for each of the 8 columns.
 */
#include "jpeg/cpu/dsp/avx2.h"
#include "jpeg/cpu/dsp/idct_dc.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

enum {
    SHIFT_1 = DCT_BITS - DCT_PASS_BITS,
    SHIFT_2 = DCT_BITS + DCT_PASS_BITS + 3,
    ROUND_1 = 1 << (SHIFT_1 - 1),
    ROUND_2 = (1 << (SHIFT_2 - 1)) + (128 << SHIFT_2) /* includes the level shift */
};

/* Combine an even and an odd sum to two outputs. */
INLINE void butterfly(__m256i even, __m256i odd, int shift, __m256i *sum, __m256i *difference)
{
    *sum = _mm256_srai_epi32(_mm256_add_epi32(even, odd), shift);
    *difference = _mm256_srai_epi32(_mm256_sub_epi32(even, odd), shift);
}

INLINE __m256i sum_of_products(__m256i a, __m256i factors_a, __m256i b, __m256i factors_b)
{
    return _mm256_add_epi32(_mm256_madd_epi16(a, factors_a), _mm256_madd_epi16(b, factors_b));
}

INLINE void idct_8(__m256i p04, __m256i p26, __m256i p15, __m256i p37, int rounding, int shift, __m256i out[8])
{
    const __m256i round = _mm256_set1_epi32(rounding);
    const __m256i t0 = _mm256_add_epi32(_mm256_madd_epi16(p04, factors(1 << DCT_BITS, 1 << DCT_BITS)), round);
    const __m256i t1 = _mm256_add_epi32(_mm256_madd_epi16(p04, factors(1 << DCT_BITS, -(1 << DCT_BITS))), round);
    const __m256i t2 = _mm256_madd_epi16(p26, factors(F_0_541, F_0_541 - F_1_847));
    const __m256i t3 = _mm256_madd_epi16(p26, factors(F_0_541 + F_0_765, F_0_541));
    const __m256i odd0 = sum_of_products(p15, factors(ODD_03, ODD_01), p37, factors(ODD_02, ODD_00));
    const __m256i odd1 = sum_of_products(p15, factors(ODD_13, ODD_11), p37, factors(ODD_12, ODD_10));
    const __m256i odd2 = sum_of_products(p15, factors(ODD_23, ODD_21), p37, factors(ODD_22, ODD_20));
    const __m256i odd3 = sum_of_products(p15, factors(ODD_33, ODD_31), p37, factors(ODD_32, ODD_30));
    butterfly(_mm256_add_epi32(t0, t3), odd3, shift, &out[0], &out[7]);
    butterfly(_mm256_add_epi32(t1, t2), odd2, shift, &out[1], &out[6]);
    butterfly(_mm256_sub_epi32(t1, t2), odd1, shift, &out[2], &out[5]);
    butterfly(_mm256_sub_epi32(t0, t3), odd0, shift, &out[3], &out[4]);
}

/* Load two dequantised rows and bring their halves together: a0–3 b0–3 | a4–7 b4–7 (lower lane | upper lane). */
INLINE __m256i load_rows(const int16_t *coefficients, const uint16_t *quant)
{
    return _mm256_permute4x64_epi64(_mm256_mullo_epi16(load256(coefficients), load256(quant)), 0xD8);
}

/*
 * Rearrange columns 0–3 of rows a b | c d and columns 4–7 of the same rows. _mm256_packs_epi32 leaves a and b in one
 * register, c and d in the other. The results are rows a | c and b | d, each as its pairs 04 15 26 37.
 */
INLINE void pair_columns(__m256i ab, __m256i cd, __m256i *ac, __m256i *bd)
{
    const __m256i left = _mm256_permute2x128_si256(ab, cd, 0x20), right = _mm256_permute2x128_si256(ab, cd, 0x31);
    *ac = _mm256_unpacklo_epi16(left, right);
    *bd = _mm256_unpackhi_epi16(left, right);
}

/*
 * Store eight columns of sums, with four rows in each lane, as samples; `order` gives the rows of the output. The
 * shifted sums fit 16 bits.
 */
INLINE void store_block(const __m256i column[8], const uint8_t order[8], uint8_t *out, ptrdiff_t pitch)
{
    const __m256i transpose =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    const __m256i c01 = _mm256_packs_epi32(column[0], column[1]), c23 = _mm256_packs_epi32(column[2], column[3]);
    const __m256i c45 = _mm256_packs_epi32(column[4], column[5]), c67 = _mm256_packs_epi32(column[6], column[7]);
    const __m256i left = _mm256_shuffle_epi8(_mm256_packus_epi16(c01, c23), transpose);
    const __m256i right = _mm256_shuffle_epi8(_mm256_packus_epi16(c45, c67), transpose);
    const __m256i low = _mm256_unpacklo_epi32(left, right), high = _mm256_unpackhi_epi32(left, right);
    store_row_pair(_mm256_castsi256_si128(low), out + order[0] * pitch, out + order[1] * pitch);
    store_row_pair(_mm256_castsi256_si128(high), out + order[2] * pitch, out + order[3] * pitch);
    store_row_pair(_mm256_extracti128_si256(low, 1), out + order[4] * pitch, out + order[5] * pitch);
    store_row_pair(_mm256_extracti128_si256(high, 1), out + order[6] * pitch, out + order[7] * pitch);
}

INLINE void idct_full(const int16_t *coefficients, const uint16_t *quant, uint8_t *out, ptrdiff_t pitch)
{
    static const uint8_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const __m256i r01 = load_rows(coefficients, quant), r23 = load_rows(coefficients + 16, quant + 16);
    const __m256i r45 = load_rows(coefficients + 32, quant + 32), r67 = load_rows(coefficients + 48, quant + 48);
    __m256i v[8];
    idct_8(_mm256_unpacklo_epi16(r01, r45), _mm256_unpacklo_epi16(r23, r67), _mm256_unpackhi_epi16(r01, r45),
        _mm256_unpackhi_epi16(r23, r67), ROUND_1, SHIFT_1, v);

    __m256i row0, row1, row2, row3; /* the upper lanes hold rows 4, 5, 6, 7 */
    pair_columns(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[4], v[5]), &row0, &row1);
    pair_columns(_mm256_packs_epi32(v[2], v[3]), _mm256_packs_epi32(v[6], v[7]), &row2, &row3);
    const __m256i low01 = _mm256_unpacklo_epi32(row0, row1), high01 = _mm256_unpackhi_epi32(row0, row1);
    const __m256i low23 = _mm256_unpacklo_epi32(row2, row3), high23 = _mm256_unpackhi_epi32(row2, row3);
    idct_8(_mm256_unpacklo_epi64(low01, low23), _mm256_unpacklo_epi64(high01, high23),
        _mm256_unpackhi_epi64(low01, low23), _mm256_unpackhi_epi64(high01, high23), ROUND_2, SHIFT_2, v);
    store_block(v, order, out, pitch);
}

/* Load a dequantised row into both lanes. */
INLINE __m256i load_row_twice(const int16_t *coefficients, const uint16_t *quant)
{
    return _mm256_mullo_epi16(
        _mm256_broadcastsi128_si256(load128(coefficients)), _mm256_broadcastsi128_si256(load128(quant)));
}

/*
 * Transform a block whose nonzero coefficients all lie in the upper left 4×4. The first pass has only 4 columns, so two
 * sums fit a vector.
 */
INLINE void idct_corner(const int16_t *coefficients, const uint16_t *quant, uint8_t *out, ptrdiff_t pitch)
{
    static const uint8_t order[8] = {0, 3, 4, 7, 1, 2, 5, 6};
    enum { ONE = 1 << DCT_BITS, E3 = F_0_541 + F_0_765, E2 = F_0_541 };
    const __m256i p02 =
        _mm256_unpacklo_epi16(load_row_twice(coefficients, quant), load_row_twice(coefficients + 16, quant + 16));
    const __m256i p13 = _mm256_unpacklo_epi16(
        load_row_twice(coefficients + 8, quant + 8), load_row_twice(coefficients + 24, quant + 24));

    const __m256i round_1 = _mm256_set1_epi32(ROUND_1);
    const __m256i even01 = _mm256_add_epi32(_mm256_madd_epi16(p02, lane_factors(ONE, E3, ONE, E2)), round_1);
    const __m256i even32 = _mm256_add_epi32(_mm256_madd_epi16(p02, lane_factors(ONE, -E3, ONE, -E2)), round_1);
    const __m256i odd32 = _mm256_madd_epi16(p13, lane_factors(ODD_33, ODD_32, ODD_23, ODD_22));
    const __m256i odd01 = _mm256_madd_epi16(p13, lane_factors(ODD_03, ODD_02, ODD_13, ODD_12));
    const __m256i r01 = _mm256_srai_epi32(_mm256_add_epi32(even01, odd32), SHIFT_1);
    const __m256i r76 = _mm256_srai_epi32(_mm256_sub_epi32(even01, odd32), SHIFT_1);
    const __m256i r32 = _mm256_srai_epi32(_mm256_add_epi32(even32, odd01), SHIFT_1);
    const __m256i r45 = _mm256_srai_epi32(_mm256_sub_epi32(even32, odd01), SHIFT_1);

    const __m256i interleave =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
    const __m256 rows0312 = _mm256_castsi256_ps(_mm256_shuffle_epi8(_mm256_packs_epi32(r01, r32), interleave));
    const __m256 rows4756 = _mm256_castsi256_ps(_mm256_shuffle_epi8(_mm256_packs_epi32(r45, r76), interleave));
    const __m256i q02 = _mm256_castps_si256(_mm256_shuffle_ps(rows0312, rows4756, 0x88));
    const __m256i q13 = _mm256_castps_si256(_mm256_shuffle_ps(rows0312, rows4756, 0xDD));

    const __m256i round_2 = _mm256_set1_epi32(ROUND_2);
    const __m256i even0 = _mm256_add_epi32(_mm256_madd_epi16(q02, factors(ONE, E3)), round_2);
    const __m256i even1 = _mm256_add_epi32(_mm256_madd_epi16(q02, factors(ONE, E2)), round_2);
    const __m256i even2 = _mm256_add_epi32(_mm256_madd_epi16(q02, factors(ONE, -E2)), round_2);
    const __m256i even3 = _mm256_add_epi32(_mm256_madd_epi16(q02, factors(ONE, -E3)), round_2);
    __m256i v[8];
    butterfly(even0, _mm256_madd_epi16(q13, factors(ODD_33, ODD_32)), SHIFT_2, &v[0], &v[7]);
    butterfly(even1, _mm256_madd_epi16(q13, factors(ODD_23, ODD_22)), SHIFT_2, &v[1], &v[6]);
    butterfly(even2, _mm256_madd_epi16(q13, factors(ODD_13, ODD_12)), SHIFT_2, &v[2], &v[5]);
    butterfly(even3, _mm256_madd_epi16(q13, factors(ODD_03, ODD_02)), SHIFT_2, &v[3], &v[4]);
    store_block(v, order, out, pitch);
}

static void idct_8x8(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    if (last == 0) {
        idct_dc(coefficients[0], quant[0], out, pitch);
    } else if (last <= 9) {
        idct_corner(coefficients, quant, out, pitch);
    } else {
        idct_full(coefficients, quant, out, pitch);
    }
}

void kst_jpeg_cpu_idct_avx2(struct jpeg_dsp *dsp)
{
    dsp->idct[8] = idct_8x8;
}
