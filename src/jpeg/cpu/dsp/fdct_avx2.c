/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the forward DCT and quantisation of fdct.c with AVX2. The pass over rows keeps rows as they are: the sums
 * and differences of a row's mirrored samples are spread in pairs over four elements, and one multiplication applies a
 * pair to four outputs. So nothing needs to be transposed. No sum exceeds 16 bits between the passes, or 32 bits within
 * them.
 */
#include <string.h>

#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/cpu/dsp/zigzag_avx2.h"
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

/* Load two rows, one per lane, with the 8 samples of the row twice. */
INLINE __m256i load_rows(const uint8_t *a, const uint8_t *b)
{
    int64_t row_a, row_b;
    memcpy(&row_a, a, 8);
    memcpy(&row_b, b, 8);
    return _mm256_blend_epi32(_mm256_set1_epi64x(row_a), _mm256_set1_epi64x(row_b), 0xF0);
}

INLINE __m256i four_factors(int a, int b, int c, int d, int e, int f, int g, int h)
{
    return _mm256_broadcastsi128_si256(_mm_setr_epi32(FACTORS(a, b), FACTORS(c, d), FACTORS(e, f), FACTORS(g, h)));
}

/* Transform two rows of samples to two rows of 16-bit results of the first pass, in order. */
INLINE __m256i transform_rows(__m256i samples)
{
    const __m256i mirrored = _mm256_shuffle_epi8(
        samples, _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 7, 1, 6, 2, 5, 3, 4, 0, 7, 1, 6, 2, 5, 3, 4)));
    /* The sums and differences, in the order s0 s1 s2 s3 d0 d1 d2 d3. */
    const __m256i v = _mm256_maddubs_epi16(
        mirrored, _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 1, 1, 1, 1, 1, 1, 1, 1, -1, 1, -1, 1, -1, 1, -1)));

    /* Factors for outputs 0 2 4 6 and for outputs 1 3 5 7. */
    const __m256i even01 = four_factors(ONE, ONE, E2, F_0_541, ONE, -ONE, F_0_541, E6);
    const __m256i even23 = four_factors(ONE, ONE, -F_0_541, -E2, -ONE, ONE, -E6, -F_0_541);
    const __m256i odd01 = four_factors(ODD_33, ODD_32, ODD_23, ODD_22, ODD_13, ODD_12, ODD_03, ODD_02);
    const __m256i odd23 = four_factors(ODD_31, ODD_30, ODD_21, ODD_20, ODD_11, ODD_10, ODD_01, ODD_00);
    const __m256i even = _mm256_add_epi32(_mm256_madd_epi16(_mm256_shuffle_epi32(v, 0x00), even01),
        _mm256_madd_epi16(_mm256_shuffle_epi32(v, 0x55), even23));
    const __m256i odd = _mm256_add_epi32(_mm256_madd_epi16(_mm256_shuffle_epi32(v, 0xAA), odd01),
        _mm256_madd_epi16(_mm256_shuffle_epi32(v, 0xFF), odd23));

    const __m256i round_even = _mm256_broadcastsi128_si256(_mm_setr_epi32(ROUND_1 + LEVEL, ROUND_1, ROUND_1, ROUND_1));
    const __m256i low = _mm256_srli_epi32(_mm256_add_epi32(even, round_even), SHIFT_1);
    const __m256i high = _mm256_slli_epi32(_mm256_add_epi32(odd, _mm256_set1_epi32(ROUND_1)), 16 - SHIFT_1);
    return _mm256_blend_epi16(low, high, 0xAA);
}

INLINE __m256i swap_lanes(__m256i v)
{
    return _mm256_permute2x128_si256(v, v, 0x01);
}

INLINE __m256i round_and_pack(__m256i low, __m256i high)
{
    const __m256i round = _mm256_set1_epi32(ROUND_2);
    return _mm256_packs_epi32(_mm256_srai_epi32(_mm256_add_epi32(low, round), SHIFT_2),
        _mm256_srai_epi32(_mm256_add_epi32(high, round), SHIFT_2));
}

/*
 * Transform rows 0 | 1, 7 | 6, 3 | 2 and 4 | 5 of the first pass (lower lane | upper lane) to rows 0 | 4, 1 | 5, 2 | 6
 * and 3 | 7 of the result.
 */
INLINE void transform_columns(__m256i r01, __m256i r76, __m256i r32, __m256i r45, __m256i out[4])
{
    const __m256i t01 = _mm256_add_epi16(r01, r76), t76 = _mm256_sub_epi16(r01, r76);
    const __m256i t32 = _mm256_add_epi16(r32, r45), t45 = _mm256_sub_epi16(r32, r45);

    const __m256i t10_11 = _mm256_add_epi16(t01, t32), t13_12 = _mm256_sub_epi16(t01, t32);
    const __m256i sign = _mm256_setr_epi32(0x10001, 0x10001, 0x10001, 0x10001, -1, -1, -1, -1);
    const __m256i r04 = _mm256_add_epi16(swap_lanes(t10_11), _mm256_sign_epi16(t10_11, sign));
    const int half = 1 << (DCT_PASS_BITS - 1);
    out[0] = _mm256_srai_epi16(_mm256_add_epi16(r04, _mm256_set1_epi16(half)), DCT_PASS_BITS);

    /* The pairs are (13, 12) in the lower lane and (12, 13) in the upper lane. */
    const __m256i t12_13 = swap_lanes(t13_12), k26 = lane_factors(E2, F_0_541, E6, F_0_541);
    out[2] = round_and_pack(_mm256_madd_epi16(_mm256_unpacklo_epi16(t13_12, t12_13), k26),
        _mm256_madd_epi16(_mm256_unpackhi_epi16(t13_12, t12_13), k26));

    /* The pairs are (7, 5) in the lower lane and (6, 4) in the upper lane, then the other way round. */
    const __m256i t54 = swap_lanes(t45);
    const __m256i a = _mm256_unpacklo_epi16(t76, t54), b = _mm256_unpackhi_epi16(t76, t54);
    const __m256i c = swap_lanes(a), d = swap_lanes(b);
    const __m256i k1 = lane_factors(ODD_33, ODD_31, ODD_12, ODD_10), k2 = lane_factors(ODD_32, ODD_30, ODD_13, ODD_11);
    out[1] = round_and_pack(_mm256_add_epi32(_mm256_madd_epi16(a, k1), _mm256_madd_epi16(c, k2)),
        _mm256_add_epi32(_mm256_madd_epi16(b, k1), _mm256_madd_epi16(d, k2)));
    const __m256i k3 = lane_factors(ODD_23, ODD_21, ODD_02, ODD_00), k4 = lane_factors(ODD_22, ODD_20, ODD_03, ODD_01);
    out[3] = round_and_pack(_mm256_add_epi32(_mm256_madd_epi16(a, k3), _mm256_madd_epi16(c, k4)),
        _mm256_add_epi32(_mm256_madd_epi16(b, k3), _mm256_madd_epi16(d, k4)));
}

INLINE __m256i quantise(__m256i v, const struct jpeg_quantizer *q, int i)
{
    const __m256i corrected = _mm256_add_epi16(_mm256_abs_epi16(v), load256(q->correction + i));
    const __m256i product = _mm256_mulhi_epu16(corrected, load256(q->reciprocal + i));
    return _mm256_sign_epi16(_mm256_mulhi_epu16(product, load256(q->scale + i)), v);
}

/* Transform and quantise a block to rows 0 | 1, 2 | 3, 4 | 5 and 6 | 7. */
INLINE void transform(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, __m256i out[4])
{
    __m256i r[4];
    transform_columns(transform_rows(load_rows(in, in + pitch)),
        transform_rows(load_rows(in + 7 * pitch, in + 6 * pitch)),
        transform_rows(load_rows(in + 3 * pitch, in + 2 * pitch)),
        transform_rows(load_rows(in + 4 * pitch, in + 5 * pitch)), r);
    out[0] = quantise(_mm256_permute2x128_si256(r[0], r[1], 0x20), quantizer, 0);
    out[1] = quantise(_mm256_permute2x128_si256(r[2], r[3], 0x20), quantizer, 16);
    out[2] = quantise(_mm256_permute2x128_si256(r[0], r[1], 0x31), quantizer, 32);
    out[3] = quantise(_mm256_permute2x128_si256(r[2], r[3], 0x31), quantizer, 48);
}

static void fdct(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    __m256i rows[4];
    transform(in, pitch, quantizer, rows);
    for (int i = 0; i < 4; i++)
        store256(out + 16 * i, rows[i]);
}

static uint64_t fdct_zigzag(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    __m256i rows[4];
    transform(in, pitch, quantizer, rows);
    return reorder_block(rows[0], rows[1], rows[2], rows[3], out);
}

void kst_jpeg_cpu_fdct_avx2(struct jpeg_dsp *dsp)
{
    dsp->fdct = fdct;
    dsp->fdct_zigzag = fdct_zigzag;
}
