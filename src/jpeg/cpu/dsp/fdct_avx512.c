/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the forward DCT and quantisation of fdct.c with AVX-512. It works like fdct_avx2.c, but with four rows in
 * a vector.
 */
#include <string.h>

#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/cpu/dsp/zigzag_avx512.h"
#include "jpeg/tables/dct.h"

enum {
    SHIFT_1 = DCT_BITS - DCT_PASS_BITS,
    SHIFT_2 = DCT_BITS + DCT_PASS_BITS,
    ROUND_1 = 1 << (SHIFT_1 - 1),
    ROUND_2 = 1 << (SHIFT_2 - 1),
    ONE = 1 << DCT_BITS,
    LEVEL = -8 * 128 * ONE, /* the level shift, which affects only output 0 */
    E2 = F_0_541 + F_0_765,
    E6 = F_0_541 - F_1_847
};

/* Load four rows, one per lane, with the 8 samples of the row twice. */
INLINE __m512i load_rows(const uint8_t *a, const uint8_t *b, const uint8_t *c, const uint8_t *d)
{
    int64_t row[4];
    memcpy(&row[0], a, 8);
    memcpy(&row[1], b, 8);
    memcpy(&row[2], c, 8);
    memcpy(&row[3], d, 8);
    __m512i rows = _mm512_set1_epi64(row[0]);
    rows = _mm512_mask_set1_epi64(rows, 0x0C, row[1]);
    rows = _mm512_mask_set1_epi64(rows, 0x30, row[2]);
    return _mm512_mask_set1_epi64(rows, 0xC0, row[3]);
}

INLINE __m512i four_factors(int a, int b, int c, int d)
{
    return _mm512_setr_epi32(a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d);
}

/* Transform four rows of samples to four rows of 16-bit results of the first pass, in order. */
INLINE __m512i transform_rows(__m512i samples)
{
    const __m512i mirrored = _mm512_shuffle_epi8(
        samples, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 7, 1, 6, 2, 5, 3, 4, 0, 7, 1, 6, 2, 5, 3, 4)));
    /* The sums and differences, in the order s0 s1 s2 s3 d0 d1 d2 d3. */
    const __m512i v = _mm512_maddubs_epi16(
        mirrored, _mm512_broadcast_i32x4(_mm_setr_epi8(1, 1, 1, 1, 1, 1, 1, 1, 1, -1, 1, -1, 1, -1, 1, -1)));

    /* Factors for outputs 0 2 4 6 and for outputs 1 3 5 7. */
    const __m512i even01 =
        four_factors(FACTORS(ONE, ONE), FACTORS(E2, F_0_541), FACTORS(ONE, -ONE), FACTORS(F_0_541, E6));
    const __m512i even23 =
        four_factors(FACTORS(ONE, ONE), FACTORS(-F_0_541, -E2), FACTORS(-ONE, ONE), FACTORS(-E6, -F_0_541));
    const __m512i odd01 = four_factors(
        FACTORS(ODD_33, ODD_32), FACTORS(ODD_23, ODD_22), FACTORS(ODD_13, ODD_12), FACTORS(ODD_03, ODD_02));
    const __m512i odd23 = four_factors(
        FACTORS(ODD_31, ODD_30), FACTORS(ODD_21, ODD_20), FACTORS(ODD_11, ODD_10), FACTORS(ODD_01, ODD_00));
    __m512i even = four_factors(ROUND_1 + LEVEL, ROUND_1, ROUND_1, ROUND_1), odd = _mm512_set1_epi32(ROUND_1);
    even = _mm512_dpwssd_epi32(even, _mm512_shuffle_epi32(v, 0x00), even01);
    even = _mm512_dpwssd_epi32(even, _mm512_shuffle_epi32(v, 0x55), even23);
    odd = _mm512_dpwssd_epi32(odd, _mm512_shuffle_epi32(v, 0xAA), odd01);
    odd = _mm512_dpwssd_epi32(odd, _mm512_shuffle_epi32(v, 0xFF), odd23);
    return _mm512_mask_blend_epi16(0xAAAAAAAA, _mm512_srli_epi32(even, SHIFT_1), _mm512_slli_epi32(odd, 16 - SHIFT_1));
}

/* In each lane, pairs from two rows of a vector; separately for columns 0–3 and 4–7. */
static const _Alignas(64) uint8_t pairs_02_left[64] = {0, 1, 32, 33, 2, 3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39, 0, 1, 32,
    33, 2, 3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39, 0, 1, 32, 33, 2, 3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39, 0, 1, 32, 33,
    2, 3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39};
static const _Alignas(64) uint8_t pairs_02_right[64] = {8, 9, 40, 41, 10, 11, 42, 43, 12, 13, 44, 45, 14, 15, 46, 47, 8,
    9, 40, 41, 10, 11, 42, 43, 12, 13, 44, 45, 14, 15, 46, 47, 8, 9, 40, 41, 10, 11, 42, 43, 12, 13, 44, 45, 14, 15, 46,
    47, 8, 9, 40, 41, 10, 11, 42, 43, 12, 13, 44, 45, 14, 15, 46, 47};
static const _Alignas(64) uint8_t pairs_13_left[64] = {16, 17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22, 23, 54, 55,
    16, 17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22, 23, 54, 55, 16, 17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22,
    23, 54, 55, 16, 17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22, 23, 54, 55};
static const _Alignas(64) uint8_t pairs_13_right[64] = {24, 25, 56, 57, 26, 27, 58, 59, 28, 29, 60, 61, 30, 31, 62, 63,
    24, 25, 56, 57, 26, 27, 58, 59, 28, 29, 60, 61, 30, 31, 62, 63, 24, 25, 56, 57, 26, 27, 58, 59, 28, 29, 60, 61, 30,
    31, 62, 63, 24, 25, 56, 57, 26, 27, 58, 59, 28, 29, 60, 61, 30, 31, 62, 63};

INLINE __m512i pack(__m512i left, __m512i right)
{
    return _mm512_packs_epi32(_mm512_srai_epi32(left, SHIFT_2), _mm512_srai_epi32(right, SHIFT_2));
}

/* Compute four rows of the result, one per lane, from the pairs (0, 2) and (1, 3) of a vector's four rows. */
INLINE __m512i transform_half(__m512i rows, __m512i factors_02, __m512i factors_13)
{
    const __m512i round = _mm512_set1_epi32(ROUND_2);
    const __m512i left = _mm512_dpwssd_epi32(round, reorder(rows, pairs_02_left), factors_02);
    const __m512i right = _mm512_dpwssd_epi32(round, reorder(rows, pairs_02_right), factors_02);
    return pack(_mm512_dpwssd_epi32(left, reorder(rows, pairs_13_left), factors_13),
        _mm512_dpwssd_epi32(right, reorder(rows, pairs_13_right), factors_13));
}

INLINE __m512i quantise(__m512i v, const struct jpeg_quantizer *q, int i)
{
    const __m512i corrected = _mm512_add_epi16(_mm512_abs_epi16(v), load512(q->correction + i));
    const __m512i product = _mm512_mulhi_epu16(corrected, load512(q->reciprocal + i));
    const __m512i quotient = _mm512_mulhi_epu16(product, load512(q->scale + i));
    return _mm512_mask_sub_epi16(quotient, _mm512_movepi16_mask(v), _mm512_setzero_si512(), quotient);
}

/* Transform and quantise a block to rows 0–3 and 4–7. */
INLINE void transform(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, __m512i out[2])
{
    const __m512i upper = transform_rows(load_rows(in, in + pitch, in + 3 * pitch, in + 2 * pitch));
    const __m512i lower = transform_rows(load_rows(in + 7 * pitch, in + 6 * pitch, in + 4 * pitch, in + 5 * pitch));

    /* The sums of mirrored rows 0 1 3 2 give results 0 2 4 6; the differences 7 6 4 5 give results 1 3 5 7. */
    const __m512i even = transform_half(_mm512_add_epi16(upper, lower),
        factors_of_lanes(FACTORS(ONE, ONE), FACTORS(E2, -E2), FACTORS(ONE, ONE), FACTORS(F_0_541, -F_0_541)),
        factors_of_lanes(FACTORS(ONE, ONE), FACTORS(F_0_541, -F_0_541), FACTORS(-ONE, -ONE), FACTORS(E6, -E6)));
    const __m512i odd = transform_half(_mm512_sub_epi16(upper, lower),
        factors_of_lanes(
            FACTORS(ODD_33, ODD_30), FACTORS(ODD_23, ODD_20), FACTORS(ODD_13, ODD_10), FACTORS(ODD_03, ODD_00)),
        factors_of_lanes(
            FACTORS(ODD_32, ODD_31), FACTORS(ODD_22, ODD_21), FACTORS(ODD_12, ODD_11), FACTORS(ODD_02, ODD_01)));

    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    out[0] = quantise(_mm512_permutex2var_epi64(even, first, odd), quantizer, 0);
    out[1] = quantise(_mm512_permutex2var_epi64(even, second, odd), quantizer, 32);
}

static void fdct(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    __m512i rows[2];
    transform(in, pitch, quantizer, rows);
    store512(out, rows[0]);
    store512(out + 32, rows[1]);
}

static uint64_t fdct_zigzag(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    __m512i rows[2];
    transform(in, pitch, quantizer, rows);
    return reorder_block(rows[0], rows[1], out);
}

void kst_jpeg_cpu_fdct_avx512(struct jpeg_dsp *dsp)
{
    dsp->fdct = fdct;
    dsp->fdct_zigzag = fdct_zigzag;
}
