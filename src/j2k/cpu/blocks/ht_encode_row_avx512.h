/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prepares rows of quads with AVX-512 for the cleanup pass of T.814. Exponents are bytes in the order of columns, a row
 * of bytes for each row of samples; the two bytes of a quad in such a row are a number of 16 bits. 32 quads are
 * prepared together.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_ROW_AVX512_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_ROW_AVX512_H

#include <immintrin.h>

#include "j2k/cpu/blocks/ht_encode_bits.h"
#include "j2k/cpu/blocks/ht_encode_quad.h"

enum { LOW_BYTE = 0x00FF, HIGH_BYTE = 0xFF00 };

/* Holds the values and the exponents of sixteen samples of a row. */
struct j2k_ht_sixteen_samples {
    __m512i value;
    __m128i exponent;
};

/* Load sixteen samples; those from `count` on are 0, and not read. */
ALWAYS_INLINE __m512i load_samples(const uint32_t *from, uint32_t count)
{
    return count >= 16 ? _mm512_loadu_si512(from) : _mm512_maskz_loadu_epi32((__mmask16)((1U << count) - 1), from);
}

/*
 * Find values and exponents. An exponent is 1 more than the number of bits of magnitude − 1, which the exponent of a
 * floating-point number gives if nothing is rounded up.
 */
ALWAYS_INLINE struct j2k_ht_sixteen_samples take_samples(__m512i sample, __m128i plane)
{
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i magnitude = _mm512_srl_epi32(_mm512_and_si512(sample, _mm512_set1_epi32(0x7FFFFFFF)), plane);
    const __m512i less = _mm512_sub_epi32(magnitude, one), top = _mm512_andnot_si512(_mm512_srli_epi32(less, 1), less);
    const __m512i biased = _mm512_srli_epi32(_mm512_castps_si512(_mm512_cvtepi32_ps(top)), 23);
    const __m512i length = _mm512_max_epi32(_mm512_sub_epi32(biased, _mm512_set1_epi32(125)), one);
    const __mmask16 some = _mm512_test_epi32_mask(magnitude, magnitude);
    return (struct j2k_ht_sixteen_samples){
        _mm512_maskz_or_epi32(some, _mm512_add_epi32(less, less), _mm512_srli_epi32(sample, 31)),
        _mm512_maskz_cvtepi32_epi8(some, length)};
}

/* Store the values of sixteen columns by quads, with the upper left one first and the one below it second. */
ALWAYS_INLINE void store_by_quads(uint32_t *to, __m512i upper, __m512i lower)
{
    const __m512i left = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i right = _mm512_add_epi32(left, _mm512_set1_epi32(8));
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(upper, left, lower));
    _mm512_storeu_si512(to + 16, _mm512_permutex2var_epi32(upper, right, lower));
}

/* Points to the exponents of quads in both rows of samples, and in the row of samples above. */
struct j2k_ht_exponent_rows {
    const uint8_t *upper, *lower, *above;
};

/* Holds what follows from the exponents of 32 quads and of those around them. */
struct j2k_ht_many_quads {
    __m512i code, rho, bound, excess;
};

ALWAYS_INLINE __m512i load_columns(const uint8_t *from)
{
    return _mm512_loadu_si512(from);
}

/* Return the larger one of both bytes of each quad. */
ALWAYS_INLINE __m512i largest_byte(__m512i bytes)
{
    return _mm512_and_si512(_mm512_max_epu8(bytes, _mm512_srli_epi16(bytes, 8)), _mm512_set1_epi16(LOW_BYTE));
}

/* Gather in the lowest bits of each quad a bit for each of its four bytes that is in the masks. */
ALWAYS_INLINE __m512i gather_bits(__mmask64 upper, __mmask64 lower)
{
    const __m512i bits = _mm512_or_si512(_mm512_maskz_mov_epi8(upper, _mm512_set1_epi16(0x0401)),
        _mm512_maskz_mov_epi8(lower, _mm512_set1_epi16(0x0802)));
    return _mm512_and_si512(_mm512_or_si512(bits, _mm512_srli_epi16(bits, 8)), _mm512_set1_epi16(15));
}

/* Return contexts times 256, of which each mask is a bit. */
ALWAYS_INLINE __m512i join_contexts(__mmask32 bit0, __mmask32 bit1, __mmask32 bit2)
{
    __m512i context = _mm512_maskz_mov_epi16(bit0, _mm512_set1_epi16(0x100));
    context = _mm512_mask_add_epi16(context, bit1, context, _mm512_set1_epi16(0x200));
    return _mm512_mask_add_epi16(context, bit2, context, _mm512_set1_epi16(0x400));
}

/* Return the contexts of quads of the first row. */
ALWAYS_INLINE __m512i first_contexts(const struct j2k_ht_exponent_rows *rows)
{
    const __m512i low = _mm512_set1_epi16(LOW_BYTE), high = _mm512_set1_epi16((int16_t)HIGH_BYTE);
    const __m512i upper = load_columns(rows->upper - 2), lower = load_columns(rows->lower - 2);
    return join_contexts(_mm512_test_epi16_mask(_mm512_or_si512(upper, lower), low),
        _mm512_test_epi16_mask(upper, high), _mm512_test_epi16_mask(lower, high));
}

/* Find U, u and the indices of codewords; quads behind the last one get contexts only. */
ALWAYS_INLINE struct j2k_ht_many_quads find_quads(const struct j2k_ht_exponent_rows *rows, bool first)
{
    const __m512i one = _mm512_set1_epi16(1);
    const __m512i upper = load_columns(rows->upper), lower = load_columns(rows->lower);
    const __m512i rho = gather_bits(_mm512_test_epi8_mask(upper, upper), _mm512_test_epi8_mask(lower, lower));
    const __m512i most = largest_byte(_mm512_max_epu8(upper, lower));
    __m512i context, kappa = one;
    if (first) {
        context = first_contexts(rows);
    } else {
        const __m512i west = load_columns(rows->above - 1), east = load_columns(rows->above + 1);
        const __m512i left = _mm512_or_si512(load_columns(rows->upper - 1), load_columns(rows->lower - 1));
        const __mmask32 several = _mm512_test_epi16_mask(rho, _mm512_sub_epi16(rho, one));
        context = join_contexts(_mm512_test_epi16_mask(west, west),
            _mm512_test_epi16_mask(left, _mm512_set1_epi16(LOW_BYTE)), _mm512_test_epi16_mask(east, east));
        kappa = _mm512_maskz_sub_epi16(several, largest_byte(_mm512_max_epu8(west, east)), one);
        kappa = _mm512_max_epi16(kappa, one);
    }
    const __m512i bound = _mm512_max_epi16(most, kappa), excess = _mm512_sub_epi16(bound, kappa);
    const __m512i both = _mm512_or_si512(most, _mm512_slli_epi16(most, 8));
    const __m512i equal = gather_bits(_mm512_cmpeq_epi8_mask(upper, both), _mm512_cmpeq_epi8_mask(lower, both));
    const __m512i eps = _mm512_maskz_mov_epi16(_mm512_test_epi16_mask(excess, excess), equal);
    const __m512i code = _mm512_or_si512(_mm512_or_si512(context, eps), _mm512_slli_epi16(rho, 4));
    return (struct j2k_ht_many_quads){.code = code, .rho = rho, .bound = bound, .excess = excess};
}

/* Store what is known of 32 quads. */
ALWAYS_INLINE void keep_quads(struct j2k_ht_row *row, uint32_t quad, const struct j2k_ht_many_quads *q)
{
    _mm512_storeu_si512(row->code + quad, q->code);
    _mm256_storeu_si256((__m256i *)(void *)(row->bound + quad), _mm512_cvtepi16_epi8(q->bound));
    _mm256_storeu_si256((__m256i *)(void *)(row->excess + quad), _mm512_cvtepi16_epi8(q->excess));
}

#endif
