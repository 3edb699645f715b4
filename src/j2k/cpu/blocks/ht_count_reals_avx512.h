/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines for AVX-512 what ht_count_reals.h needs. */

enum { COUNTED_AT_ONCE = 32, COUNTED_AROUND = 64 };

/* Holds the exponents of both rows of samples in a row of quads, column by column. */
struct j2k_ht_counted_row {
    uint8_t upper[2 * J2K_HT_ROW_QUADS + 2 * COUNTED_AROUND], lower[2 * J2K_HT_ROW_QUADS + 2 * COUNTED_AROUND];
};

/* This header uses the definitions above. */
#include "j2k/cpu/blocks/ht_count_reals.h"

/* Load the magnitudes of sixteen coefficients; those from `count` on are 0. */
ALWAYS_INLINE __m512i load_magnitudes(const float *from, uint32_t count)
{
    const __mmask16 there = count < 16 ? (__mmask16)((1U << count) - 1) : (__mmask16)0xFFFF;
    return _mm512_and_si512(_mm512_castps_si512(_mm512_maskz_loadu_ps(there, from)), _mm512_set1_epi32(0x7FFFFFFF));
}

/*
 * Return the exponents of sixteen columns. Sign and exponent of magnitude ÷ step − 1 are exact below 2^24, and less
 * than 0 where that is negative.
 */
ALWAYS_INLINE __m128i exponents_of(__m512i magnitudes, __m512 factor)
{
    const __m512 less = _mm512_sub_ps(_mm512_mul_ps(_mm512_castsi512_ps(magnitudes), factor), _mm512_set1_ps(1));
    const __m512i tops = _mm512_srai_epi32(_mm512_castps_si512(less), 23);
    const __m128i bytes = _mm512_cvtsepi32_epi8(_mm512_sub_epi32(tops, _mm512_set1_epi32(125)));
    const __mmask16 some = _mm_cmpgt_epi8_mask(bytes, _mm_set1_epi8(-126)); /* −125 stands for a quotient of 1 */
    return _mm_maskz_max_epi8(some, bytes, _mm_set1_epi8(1));
}

ALWAYS_INLINE bool make_group(const struct j2k_ht_reals *reals, uint32_t x, uint32_t y, struct j2k_ht_counted_row *row,
    uint16_t *bound, int32_t *largest)
{
    const float *from = reals->first + y * reals->pitch + x;
    const __m512i upper = load_magnitudes(from, reals->width - x);
    __m512i lower = _mm512_setzero_si512();
    if (y + 1 < reals->height)
        lower = load_magnitudes(from + reals->pitch, reals->width - x);
    if (!reals->known) {
        const int32_t most = _mm512_reduce_max_epi32(_mm512_max_epi32(upper, lower));
        *largest = most > *largest ? most : *largest;
        if (bound)
            *bound = (uint16_t)((most >> 16) + 1);
    }
    const __m512 factor = _mm512_set1_ps(reals->factor);
    const __m128i high = exponents_of(upper, factor), low = exponents_of(lower, factor), any = _mm_or_si128(high, low);
    store_bytes(row->upper + COUNTED_AROUND + x, high);
    store_bytes(row->lower + COUNTED_AROUND + x, low);
    return _mm_testz_si128(any, any) == 0;
}

ALWAYS_INLINE void clear_group(struct j2k_ht_counted_row *row, uint32_t x)
{
    store_bytes(row->upper + COUNTED_AROUND + x, _mm_setzero_si128());
    store_bytes(row->lower + COUNTED_AROUND + x, _mm_setzero_si128());
}

ALWAYS_INLINE void take_first_row(struct j2k_ht_encoder *encoder, const struct j2k_ht_counted_row *row)
{
    for (uint32_t x = 0; x < encoder->width; x += 2 * COUNTED_AT_ONCE) {
        const struct j2k_ht_exponent_rows rows = {
            .upper = row->upper + COUNTED_AROUND + x, .lower = row->lower + COUNTED_AROUND + x};
        const struct j2k_ht_many_quads q = find_quads(&rows, true);
        keep_quads(&encoder->row, x / 2, &q);
    }
}

/* Look up a number for each of the lowest four bits of words of 16 bits; the other bits must be 0. */
ALWAYS_INLINE __m512i of_nibbles(__m128i numbers, __m512i nibbles)
{
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(numbers), nibbles);
}

ALWAYS_INLINE __m512i count_bits(__m512i nibbles)
{
    return of_nibbles(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4), nibbles);
}

/* Return the bits of u, which are the same for all u from 5 on. */
ALWAYS_INLINE __m512i excess_lengths(__m512i excess)
{
    return of_nibbles(
        _mm_setr_epi8(0, 1, 2, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8), _mm512_min_epu16(excess, _mm512_set1_epi16(15)));
}

/* Return the bits of VLC and MagSgn of 32 quads below the first row, of which those in `there` exist. */
ALWAYS_INLINE uint32_t count_quads(const struct j2k_ht_many_quads *q, __mmask32 there)
{
    const __m512i code = _mm512_maskz_mov_epi16(there, q->code);
    const __m256i low = _mm512_cvtepi32_epi16(look_up(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(code))));
    const __m256i high = _mm512_cvtepi32_epi16(look_up(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(code, 1))));
    const __m512i entry = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    const __m512i length = _mm512_and_si512(_mm512_srli_epi16(entry, 8), _mm512_set1_epi16(7));
    const __m512i signs = _mm512_mullo_epi16(count_bits(q->rho), q->bound);
    __m512i bits = _mm512_sub_epi16(_mm512_add_epi16(length, signs), count_bits(_mm512_srli_epi16(entry, 12)));
    bits = _mm512_maskz_add_epi16(there, bits, excess_lengths(q->excess));
    return (uint32_t)_mm512_reduce_add_epi32(_mm512_madd_epi16(bits, _mm512_set1_epi16(1)));
}

ALWAYS_INLINE uint32_t count_some(const struct j2k_ht_counted_row *own, const struct j2k_ht_counted_row *above,
    uint32_t quad, uint32_t count, struct j2k_ht_events *events)
{
    const size_t at = COUNTED_AROUND + (size_t)2 * quad;
    const struct j2k_ht_exponent_rows rows = {
        .upper = own->upper + at, .lower = own->lower + at, .above = above->lower + at};
    const struct j2k_ht_many_quads q = find_quads(&rows, false);
    const uint32_t there = UINT32_MAX >> (COUNTED_AT_ONCE - count);
    const uint32_t asks = ~_mm512_test_epi16_mask(q.code, _mm512_set1_epi16(0xF00)) & there;
    const uint32_t happen = _mm512_test_epi16_mask(q.rho, q.rho);
    *events = (struct j2k_ht_events){_pext_u32(happen, asks), (uint32_t)__builtin_popcount(asks)};
    return asks == there && (happen & there) == 0 ? 0 : count_quads(&q, there);
}
