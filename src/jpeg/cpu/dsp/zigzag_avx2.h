/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts coefficients in zig-zag order with AVX2, by shuffles of bytes. The order is symmetric: if coefficient k lies in
 * row a, coefficient 63 − k lies in row 7 − a. So output row r in the lower lane and 7 − r in the upper lane come from
 * the same pairs of input rows.
 */
#ifndef KOSTKA_JPEG_CPU_DSP_ZIGZAG_AVX2_H
#define KOSTKA_JPEG_CPU_DSP_ZIGZAG_AVX2_H

#include "jpeg/cpu/dsp/avx2.h"

/*
 * Element i of an output row is element `order[i]` of the input row; NOT marks one that comes from another input row.
 */
#define NOT -1
#define ROW(a, b, c, d, e, f, g, h) BYTES(a), BYTES(b), BYTES(c), BYTES(d), BYTES(e), BYTES(f), BYTES(g), BYTES(h)
#define BYTES(i) (i) < 0 ? -1 : 2 * (i), (i) < 0 ? -1 : 2 * (i) + 1

/* One shuffle for each pair of input rows that a pair of output rows takes elements from. */
static const _Alignas(32) int8_t orders[18][32] = {
    {ROW(0, 1, NOT, NOT, NOT, 2, 3, NOT), ROW(NOT, 4, 5, NOT, NOT, NOT, 6, 7)},             /* rows 0, 7 to 0, 7 */
    {ROW(NOT, NOT, 0, NOT, 1, NOT, NOT, 2), ROW(5, NOT, NOT, 6, NOT, 7, NOT, NOT)},         /* rows 1, 6 to 0, 7 */
    {ROW(NOT, NOT, NOT, 0, NOT, NOT, NOT, NOT), ROW(NOT, NOT, NOT, NOT, 7, NOT, NOT, NOT)}, /* rows 2, 5 to 0, 7 */
    {ROW(NOT, NOT, NOT, NOT, NOT, NOT, 4, 5), ROW(2, 3, NOT, NOT, NOT, NOT, NOT, NOT)},     /* rows 0, 7 to 1, 6 */
    {ROW(NOT, NOT, NOT, NOT, NOT, 3, NOT, NOT), ROW(NOT, NOT, 4, NOT, NOT, NOT, NOT, NOT)}, /* rows 1, 6 to 1, 6 */
    {ROW(1, NOT, NOT, NOT, 2, NOT, NOT, NOT), ROW(NOT, NOT, NOT, 5, NOT, NOT, NOT, 6)},     /* rows 2, 5 to 1, 6 */
    {ROW(NOT, 0, NOT, 1, NOT, NOT, NOT, NOT), ROW(NOT, NOT, NOT, NOT, 6, NOT, 7, NOT)},     /* rows 3, 4 to 1, 6 */
    {ROW(NOT, NOT, 0, NOT, NOT, NOT, NOT, NOT), ROW(NOT, NOT, NOT, NOT, NOT, 7, NOT, NOT)}, /* rows 4, 3 to 1, 6 */
    {ROW(4, NOT, NOT, NOT, NOT, NOT, NOT, NOT), ROW(NOT, NOT, NOT, NOT, NOT, NOT, NOT, 3)}, /* rows 1, 6 to 2, 5 */
    {ROW(NOT, 3, NOT, NOT, NOT, NOT, NOT, NOT), ROW(NOT, NOT, NOT, NOT, NOT, NOT, 4, NOT)}, /* rows 2, 5 to 2, 5 */
    {ROW(NOT, NOT, 2, NOT, NOT, NOT, NOT, NOT), ROW(NOT, NOT, NOT, NOT, NOT, 5, NOT, NOT)}, /* rows 3, 4 to 2, 5 */
    {ROW(NOT, NOT, NOT, 1, NOT, NOT, NOT, 2), ROW(5, NOT, NOT, NOT, 6, NOT, NOT, NOT)},     /* rows 4, 3 to 2, 5 */
    {ROW(NOT, NOT, NOT, NOT, 0, NOT, 1, NOT), ROW(NOT, 6, NOT, 7, NOT, NOT, NOT, NOT)},     /* rows 5, 2 to 2, 5 */
    {ROW(NOT, NOT, NOT, NOT, NOT, 0, NOT, NOT), ROW(NOT, NOT, 7, NOT, NOT, NOT, NOT, NOT)}, /* rows 6, 1 to 2, 5 */
    {ROW(NOT, NOT, NOT, 6, 7, NOT, NOT, NOT), ROW(NOT, NOT, NOT, 0, 1, NOT, NOT, NOT)},     /* rows 0, 7 to 3, 4 */
    {ROW(NOT, NOT, 5, NOT, NOT, 6, NOT, NOT), ROW(NOT, NOT, 1, NOT, NOT, 2, NOT, NOT)},     /* rows 1, 6 to 3, 4 */
    {ROW(NOT, 4, NOT, NOT, NOT, NOT, 5, NOT), ROW(NOT, 2, NOT, NOT, NOT, NOT, 3, NOT)},     /* rows 2, 5 to 3, 4 */
    {ROW(3, NOT, NOT, NOT, NOT, NOT, NOT, 4), ROW(3, NOT, NOT, NOT, NOT, NOT, NOT, 4)},     /* rows 3, 4 to 3, 4 */
};

INLINE __m256i reorder(__m256i rows, int order)
{
    return _mm256_shuffle_epi8(rows, load256(orders[order]));
}

INLINE void store_rows(int16_t *out, int i, __m256i rows)
{
    store128(out + 8 * i, _mm256_castsi256_si128(rows));
    store128(out + 56 - 8 * i, _mm256_extracti128_si256(rows, 1));
}

INLINE __m256i is_zero(__m256i a)
{
    return _mm256_cmpeq_epi16(a, _mm256_setzero_si256());
}

/*
 * Return the mask of the coefficients that are not 0. The arguments hold rows 0 | 7, 1 | 6, 2 | 5, 3 | 4 (lower lane |
 * upper lane).
 */
INLINE uint64_t mask_of_nonzero(__m256i r07, __m256i r16, __m256i r25, __m256i r34)
{
    const __m256i r01_76 = _mm256_packs_epi16(is_zero(r07), is_zero(r16));
    const __m256i r23_54 = _mm256_packs_epi16(is_zero(r25), is_zero(r34));
    const __m256i low = _mm256_permute2x128_si256(r01_76, r23_54, 0x20);
    const __m256i high = _mm256_shuffle_epi32(_mm256_permute2x128_si256(r23_54, r01_76, 0x31), 0x4E);
    return ~((uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 | (uint32_t)_mm256_movemask_epi8(low));
}

INLINE __m256i or3(__m256i a, __m256i b, __m256i c)
{
    return _mm256_or_si256(_mm256_or_si256(a, b), c);
}

/*
 * Store a block in zig-zag order and return the mask of the coefficients that are not 0. The arguments hold rows 0 | 1,
 * 2 | 3, 4 | 5, 6 | 7 (lower lane | upper lane).
 */
INLINE uint64_t reorder_block(__m256i r01, __m256i r23, __m256i r45, __m256i r67, int16_t *out)
{
    /* Row i in the lower lane and row 7 - i in the upper lane. */
    const __m256i r0 = _mm256_blend_epi32(r01, r67, 0xF0), r6 = _mm256_blend_epi32(r67, r01, 0xF0);
    const __m256i r2 = _mm256_blend_epi32(r23, r45, 0xF0), r4 = _mm256_blend_epi32(r45, r23, 0xF0);
    const __m256i r1 = _mm256_permute2x128_si256(r01, r67, 0x21), r3 = _mm256_permute2x128_si256(r23, r45, 0x21);
    const __m256i r5 = _mm256_permute2x128_si256(r45, r23, 0x21);
    const __m256i k07 = or3(reorder(r0, 0), reorder(r1, 1), reorder(r2, 2));
    const __m256i k16 = _mm256_or_si256(
        or3(reorder(r0, 3), reorder(r1, 4), reorder(r2, 5)), _mm256_or_si256(reorder(r3, 6), reorder(r4, 7)));
    const __m256i k25 = _mm256_or_si256(
        or3(reorder(r1, 8), reorder(r2, 9), reorder(r3, 10)), or3(reorder(r4, 11), reorder(r5, 12), reorder(r6, 13)));
    const __m256i k34 = _mm256_or_si256(
        _mm256_or_si256(reorder(r0, 14), reorder(r1, 15)), _mm256_or_si256(reorder(r2, 16), reorder(r3, 17)));
    store_rows(out, 0, k07);
    store_rows(out, 1, k16);
    store_rows(out, 2, k25);
    store_rows(out, 3, k34);
    return mask_of_nonzero(k07, k16, k25, k34);
}

#endif
