/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the 8×8 inverse DCT of idct.c with AVX-512, with two sums in a vector. Pairs (i, j) are values i and j of a
 * column (in the second pass, of a row) as neighbouring 16-bit elements. If lanes or halves hold the same pairs, their
 * factors differ.
 */
#include "jpeg/cpu/dsp/avx512.h"
#include "jpeg/cpu/dsp/idct_dc.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

enum {
    SHIFT_1 = DCT_BITS - DCT_PASS_BITS,
    SHIFT_2 = DCT_BITS + DCT_PASS_BITS + 3,
    ROUND_1 = 1 << (SHIFT_1 - 1),
    ROUND_2 = (1 << (SHIFT_2 - 1)) + (128 << SHIFT_2), /* includes the level shift */
    ONE = 1 << DCT_BITS,
    E3 = F_0_541 + F_0_765,
    E2 = F_0_541,
    E6 = F_0_541 - F_1_847
};

/*
 * Selects, into lane i, the pairs (i, i + 4) of rows 0 to 3. The input holds rows 0 3 1 2, whose columns 0–3
 * _mm512_packs_epi32 has put into the lower half and 4–7 into the upper.
 */
static const _Alignas(64) uint8_t pair_rows_0[64] = {0, 1, 32, 33, 16, 17, 48, 49, 24, 25, 56, 57, 8, 9, 40, 41, 2, 3,
    34, 35, 18, 19, 50, 51, 26, 27, 58, 59, 10, 11, 42, 43, 4, 5, 36, 37, 20, 21, 52, 53, 28, 29, 60, 61, 12, 13, 44,
    45, 6, 7, 38, 39, 22, 23, 54, 55, 30, 31, 62, 63, 14, 15, 46, 47};

/* Selects the pairs of rows 4 to 7 in the same way, from rows 7 4 6 5. */
static const _Alignas(64) uint8_t pair_rows_4[64] = {8, 9, 40, 41, 24, 25, 56, 57, 16, 17, 48, 49, 0, 1, 32, 33, 10, 11,
    42, 43, 26, 27, 58, 59, 18, 19, 50, 51, 2, 3, 34, 35, 12, 13, 44, 45, 28, 29, 60, 61, 20, 21, 52, 53, 4, 5, 36, 37,
    14, 15, 46, 47, 30, 31, 62, 63, 22, 23, 54, 55, 6, 7, 38, 39};

/* Brings columns 0 3 7 4 and 1 2 6 5 of rows 0–3, then of rows 4–7, into rows. */
static const _Alignas(64) uint8_t block_order[64] = {0, 16, 20, 4, 12, 28, 24, 8, 1, 17, 21, 5, 13, 29, 25, 9, 2, 18,
    22, 6, 14, 30, 26, 10, 3, 19, 23, 7, 15, 31, 27, 11, 32, 48, 52, 36, 44, 60, 56, 40, 33, 49, 53, 37, 45, 61, 57, 41,
    34, 50, 54, 38, 46, 62, 58, 42, 35, 51, 55, 39, 47, 63, 59, 43};

struct sums {
    __m512i s01, s32, s45, s76; /* outputs of even lanes and of odd lanes, or of both halves */
};

INLINE struct sums butterflies(__m512i even01, __m512i even32, __m512i odd32, __m512i odd01, int shift)
{
    const unsigned bits = (unsigned)shift;
    return (struct sums){
        .s01 = _mm512_srai_epi32(_mm512_add_epi32(even01, odd32), bits),
        .s32 = _mm512_srai_epi32(_mm512_add_epi32(even32, odd01), bits),
        .s45 = _mm512_srai_epi32(_mm512_sub_epi32(even32, odd01), bits),
        .s76 = _mm512_srai_epi32(_mm512_sub_epi32(even01, odd32), bits),
    };
}

/*
 * Compute eight outputs for each of eight columns. Lane i of `low` holds the pairs (i, i + 4) of four columns, lane i
 * of `high` those of the other four.
 */
INLINE struct sums idct_8(__m512i low, __m512i high, int rounding, int shift)
{
    const __m512i p04 = _mm512_shuffle_i64x2(low, high, 0x00), p15 = _mm512_shuffle_i64x2(low, high, 0x55);
    const __m512i p26 = _mm512_shuffle_i64x2(low, high, 0xAA), p37 = _mm512_shuffle_i64x2(low, high, 0xFF);
    const __m512i t01 =
        _mm512_dpwssd_epi32(_mm512_set1_epi32(rounding), p04, factors_of_pairs(FACTORS(ONE, ONE), FACTORS(ONE, -ONE)));
    const __m512i even01 = _mm512_dpwssd_epi32(t01, p26, factors_of_pairs(FACTORS(E3, E2), FACTORS(E2, E6)));
    const __m512i even32 = _mm512_dpwssd_epi32(t01, p26, factors_of_pairs(FACTORS(-E3, -E2), FACTORS(-E2, -E6)));
    const __m512i odd32 = sum_of_products_512(p15, factors_of_pairs(FACTORS(ODD_33, ODD_31), FACTORS(ODD_23, ODD_21)),
        p37, factors_of_pairs(FACTORS(ODD_32, ODD_30), FACTORS(ODD_22, ODD_20)));
    const __m512i odd01 = sum_of_products_512(p15, factors_of_pairs(FACTORS(ODD_03, ODD_01), FACTORS(ODD_13, ODD_11)),
        p37, factors_of_pairs(FACTORS(ODD_02, ODD_00), FACTORS(ODD_12, ODD_10)));
    return butterflies(even01, even32, odd32, odd01, shift);
}

INLINE void store_block(struct sums sums, const uint8_t order[64], uint8_t *out, ptrdiff_t pitch)
{
    const __m512i left = _mm512_packs_epi32(sums.s01, sums.s32), right = _mm512_packs_epi32(sums.s76, sums.s45);
    const __m512i block = reorder(_mm512_packus_epi16(left, right), order);
    store_row_pair(_mm512_castsi512_si128(block), out, out + pitch);
    store_row_pair(_mm512_extracti32x4_epi32(block, 1), out + 2 * pitch, out + 3 * pitch);
    store_row_pair(_mm512_extracti32x4_epi32(block, 2), out + 4 * pitch, out + 5 * pitch);
    store_row_pair(_mm512_extracti32x4_epi32(block, 3), out + 6 * pitch, out + 7 * pitch);
}

INLINE void idct_full(const int16_t *coefficients, const uint16_t *quant, uint8_t *out, ptrdiff_t pitch)
{
    const __m512i rows0 = _mm512_mullo_epi16(load512(coefficients), load512(quant));
    const __m512i rows4 = _mm512_mullo_epi16(load512(coefficients + 32), load512(quant + 32));
    const struct sums columns =
        idct_8(_mm512_unpacklo_epi16(rows0, rows4), _mm512_unpackhi_epi16(rows0, rows4), ROUND_1, SHIFT_1);
    const __m512i low = reorder(_mm512_packs_epi32(columns.s01, columns.s32), pair_rows_0);
    const __m512i high = reorder(_mm512_packs_epi32(columns.s76, columns.s45), pair_rows_4);
    store_block(idct_8(low, high, ROUND_2, SHIFT_2), block_order, out, pitch);
}

/* Selects the pairs (0, 2) of columns 0–3 from rows 0 to 3, into each lane. */
static const _Alignas(64) uint8_t corner_02[64] = {0, 1, 32, 33, 2, 3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39, 0, 1, 32, 33,
    2, 3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39, 0, 1, 32, 33, 2, 3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39, 0, 1, 32, 33, 2,
    3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39};

/* Selects the pairs (1, 3) in the same way. */
static const _Alignas(64) uint8_t corner_13[64] = {16, 17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22, 23, 54, 55, 16,
    17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22, 23, 54, 55, 16, 17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22, 23,
    54, 55, 16, 17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22, 23, 54, 55};

/* Selects the pairs (0, 2) of rows 0–7, into each half, from rows 0 7 1 6 2 5 3 4 of 4 columns each. */
static const _Alignas(64) uint8_t corner_rows_02[64] = {0, 1, 4, 5, 16, 17, 20, 21, 32, 33, 36, 37, 48, 49, 52, 53, 56,
    57, 60, 61, 40, 41, 44, 45, 24, 25, 28, 29, 8, 9, 12, 13, 0, 1, 4, 5, 16, 17, 20, 21, 32, 33, 36, 37, 48, 49, 52,
    53, 56, 57, 60, 61, 40, 41, 44, 45, 24, 25, 28, 29, 8, 9, 12, 13};

/* Selects the pairs (1, 3) in the same way. */
static const _Alignas(64) uint8_t corner_rows_13[64] = {2, 3, 6, 7, 18, 19, 22, 23, 34, 35, 38, 39, 50, 51, 54, 55, 58,
    59, 62, 63, 42, 43, 46, 47, 26, 27, 30, 31, 10, 11, 14, 15, 2, 3, 6, 7, 18, 19, 22, 23, 34, 35, 38, 39, 50, 51, 54,
    55, 58, 59, 62, 63, 42, 43, 46, 47, 26, 27, 30, 31, 10, 11, 14, 15};

/* Brings columns 0 3 7 4 of rows 0–3, then of rows 4–7, then columns 1 2 6 5, into rows. */
static const _Alignas(64) uint8_t corner_order[64] = {0, 32, 36, 4, 12, 44, 40, 8, 1, 33, 37, 5, 13, 45, 41, 9, 2, 34,
    38, 6, 14, 46, 42, 10, 3, 35, 39, 7, 15, 47, 43, 11, 16, 48, 52, 20, 28, 60, 56, 24, 17, 49, 53, 21, 29, 61, 57, 25,
    18, 50, 54, 22, 30, 62, 58, 26, 19, 51, 55, 23, 31, 63, 59, 27};

/*
 * Transform a block whose nonzero coefficients all lie in the upper left 4×4. The first pass has only 4 columns, so
 * four sums fit a vector.
 */
INLINE void idct_corner(const int16_t *coefficients, const uint16_t *quant, uint8_t *out, ptrdiff_t pitch)
{
    const __m512i rows = _mm512_mullo_epi16(load512(coefficients), load512(quant));
    const __m512i even = _mm512_dpwssd_epi32(_mm512_set1_epi32(ROUND_1), reorder(rows, corner_02),
        factors_of_lanes(FACTORS(ONE, E3), FACTORS(ONE, E2), FACTORS(ONE, -E2), FACTORS(ONE, -E3)));
    const __m512i odd =
        _mm512_madd_epi16(reorder(rows, corner_13), factors_of_lanes(FACTORS(ODD_33, ODD_32), FACTORS(ODD_23, ODD_22),
                                                        FACTORS(ODD_13, ODD_12), FACTORS(ODD_03, ODD_02)));
    const __m512i columns = _mm512_packs_epi32(_mm512_srai_epi32(_mm512_add_epi32(even, odd), SHIFT_1),
        _mm512_srai_epi32(_mm512_sub_epi32(even, odd), SHIFT_1));

    const __m512i p02 = reorder(columns, corner_rows_02), p13 = reorder(columns, corner_rows_13);
    const __m512i round = _mm512_set1_epi32(ROUND_2);
    const struct sums sums =
        butterflies(_mm512_dpwssd_epi32(round, p02, factors_of_halves(FACTORS(ONE, E3), FACTORS(ONE, E2))),
            _mm512_dpwssd_epi32(round, p02, factors_of_halves(FACTORS(ONE, -E3), FACTORS(ONE, -E2))),
            _mm512_madd_epi16(p13, factors_of_halves(FACTORS(ODD_33, ODD_32), FACTORS(ODD_23, ODD_22))),
            _mm512_madd_epi16(p13, factors_of_halves(FACTORS(ODD_03, ODD_02), FACTORS(ODD_13, ODD_12))), SHIFT_2);
    store_block(sums, corner_order, out, pitch);
}

static void idct_8x8(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    if (last == 0)
        idct_dc(coefficients[0], quant[0], out, pitch);
    else if (last <= 9)
        idct_corner(coefficients, quant, out, pitch);
    else
        idct_full(coefficients, quant, out, pitch);
}

void kst_jpeg_cpu_idct_avx512(struct jpeg_dsp *dsp)
{
    dsp->idct[8] = idct_8x8;
}
