/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines for AVX2 what ht_count_reals.h needs. */

enum { COUNTED_AT_ONCE = 8, COUNTED_AROUND = 8 };

/* Holds the exponents of a row of quads, four bytes a quad, and of eight quads on either side. */
struct j2k_ht_counted_row {
    uint8_t exponent[4 * (J2K_HT_ROW_QUADS + 2 * COUNTED_AROUND)];
};

/* These headers use the definitions above. */
#include "j2k/cpu/blocks/ht_count_reals.h"

#include "j2k/cpu/blocks/ht_count_quads.h"

/* Load the magnitudes of eight coefficients; those from `count` on are 0. */
ALWAYS_INLINE __m256i load_magnitudes(const float *from, uint32_t count)
{
    const __m256i order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), sizes = _mm256_set1_epi32(0x7FFFFFFF);
    if (count >= 8)
        return _mm256_and_si256(_mm256_castps_si256(_mm256_loadu_ps(from)), sizes);
    const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)count), order);
    return _mm256_and_si256(_mm256_castps_si256(_mm256_maskload_ps(from, there)), sizes);
}

/*
 * Return the sign and the exponent of magnitudes ÷ step − 1: exact below 2^24, and less than 0 where that is negative.
 */
ALWAYS_INLINE __m256i tops_of(__m256i magnitudes, __m256 factor)
{
    const __m256 less = _mm256_sub_ps(_mm256_mul_ps(_mm256_castsi256_ps(magnitudes), factor), _mm256_set1_ps(1));
    return _mm256_srai_epi32(_mm256_castps_si256(less), 23);
}

/* Holds sixteen coefficients of a row. */
struct j2k_ht_real_vectors {
    __m256i first, second;
};

ALWAYS_INLINE struct j2k_ht_real_vectors load_reals(const float *from, uint32_t count)
{
    return (struct j2k_ht_real_vectors){
        load_magnitudes(from, count), load_magnitudes(from + 8, count > 8 ? count - 8 : 0)};
}

/* Make the exponents of eight quads from sixteen columns of two rows. */
ALWAYS_INLINE __m256i quad_exponents(struct j2k_ht_real_vectors upper, struct j2k_ht_real_vectors lower, __m256 factor)
{
    const __m256i places = _mm256_setr_epi8(
        0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    const __m256i bias = _mm256_set1_epi16(125);
    __m256i up = _mm256_packs_epi32(tops_of(upper.first, factor), tops_of(upper.second, factor));
    __m256i low = _mm256_packs_epi32(tops_of(lower.first, factor), tops_of(lower.second, factor));
    __m256i bytes = _mm256_packs_epi16(_mm256_sub_epi16(up, bias), _mm256_sub_epi16(low, bias));
    bytes = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(bytes, places), 0xD8);
    const __m256i some = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(-126)); /* −125 stands for a quotient of 1 */
    return _mm256_and_si256(_mm256_max_epi8(bytes, _mm256_set1_epi8(1)), some);
}

ALWAYS_INLINE int32_t largest_of(__m256i numbers)
{
    __m128i most = _mm_max_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    most = _mm_max_epi32(most, _mm_srli_si128(most, 8));
    return _mm_cvtsi128_si32(_mm_max_epi32(most, _mm_srli_si128(most, 4)));
}

ALWAYS_INLINE bool make_group(const struct j2k_ht_reals *reals, uint32_t x, uint32_t y, struct j2k_ht_counted_row *row,
    uint16_t *bound, int32_t *largest)
{
    const float *from = reals->first + y * reals->pitch + x;
    const struct j2k_ht_real_vectors upper = load_reals(from, reals->width - x);
    struct j2k_ht_real_vectors lower = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    if (y + 1 < reals->height)
        lower = load_reals(from + reals->pitch, reals->width - x);
    if (!reals->known) {
        const int32_t most = largest_of(
            _mm256_max_epi32(_mm256_max_epi32(upper.first, upper.second), _mm256_max_epi32(lower.first, lower.second)));
        *largest = most > *largest ? most : *largest;
        if (bound)
            *bound = (uint16_t)((most >> 16) + 1);
    }
    const __m256i exponents = quad_exponents(upper, lower, _mm256_set1_ps(reals->factor));
    _mm256_storeu_si256((__m256i *)(void *)exponents_at(row, x / 2), exponents);
    return _mm256_testz_si256(exponents, exponents) == 0;
}

ALWAYS_INLINE __m256i load_quads(const uint8_t *exponents)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)exponents);
}

/* Add up the four bytes of each of eight quads. */
ALWAYS_INLINE __m256i add_bytes(__m256i bytes)
{
    return _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
}

/* Holds the exponents of eight quads, of those on their left, and of those above them from left to right. */
struct j2k_ht_quad_vectors {
    __m256i own, left, above[3];
};

/* Return the contexts of quads below the first row, times 256. */
ALWAYS_INLINE __m256i contexts_of(const struct j2k_ht_quad_vectors *q, __m256i north, __m256i far)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i west = _mm256_or_si256(_mm256_srli_epi32(q->above[0], 24), north);
    const __m256i east = _mm256_or_si256(_mm256_srli_epi32(q->above[1], 24), far);
    __m256i context = _mm256_and_si256(_mm256_cmpgt_epi32(west, zero), _mm256_set1_epi32(0x100));
    context = _mm256_or_si256(
        context, _mm256_and_si256(_mm256_cmpgt_epi32(_mm256_srli_epi32(q->left, 16), zero), _mm256_set1_epi32(0x200)));
    return _mm256_or_si256(context, _mm256_and_si256(_mm256_cmpgt_epi32(east, zero), _mm256_set1_epi32(0x400)));
}

/* Return the bits of VLC and MagSgn of eight quads below the first row; only quads in `there` count. */
ALWAYS_INLINE __m256i count_quads(const struct j2k_ht_quad_vectors *q, __m256i there, struct j2k_ht_events *events)
{
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1), byte = _mm256_set1_epi32(255);
    const __m256i repeat = _mm256_setr_epi8(
        0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    const __m256i north = _mm256_and_si256(_mm256_srli_epi32(q->above[1], 8), byte);
    const __m256i far = _mm256_and_si256(_mm256_srli_epi32(q->above[2], 8), byte);
    const __m256i context = contexts_of(q, north, far);
    __m256i around = _mm256_max_epi32(_mm256_max_epi32(_mm256_srli_epi32(q->above[0], 24), north),
        _mm256_max_epi32(_mm256_srli_epi32(q->above[1], 24), far));
    __m256i most = _mm256_max_epu8(q->own, _mm256_srli_epi32(q->own, 16));
    most = _mm256_and_si256(_mm256_max_epu8(most, _mm256_srli_epi32(most, 8)), byte);
    const __m256i some = _mm256_cmpgt_epi8(q->own, zero);
    const __m256i rho = add_bytes(_mm256_and_si256(some, _mm256_set1_epi32(0x08040201)));
    const __m256i samples = count_bits(rho);
    around = _mm256_and_si256(_mm256_sub_epi32(around, one), _mm256_cmpgt_epi32(samples, one));
    const __m256i kappa = _mm256_max_epi32(around, one), bound = _mm256_max_epi32(most, kappa);
    const __m256i excess = _mm256_sub_epi32(bound, kappa);
    __m256i equal = _mm256_cmpeq_epi8(q->own, _mm256_shuffle_epi8(most, repeat));
    equal = _mm256_and_si256(_mm256_and_si256(equal, some), _mm256_set1_epi32(0x08040201));
    const __m256i eps = _mm256_and_si256(add_bytes(equal), _mm256_cmpgt_epi32(excess, zero));
    const __m256i code = _mm256_or_si256(_mm256_or_si256(context, eps), _mm256_slli_epi32(rho, 4));
    const __m256i entry = look_up(_mm256_and_si256(code, there));
    const uint32_t asks =
        (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(_mm256_cmpeq_epi32(context, zero), there)));
    const uint32_t happen = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(rho, zero)));
    events->bits |= _pext_u32(happen, asks) << events->count;
    events->count += (uint32_t)__builtin_popcount(asks);
    const __m256i length = _mm256_and_si256(_mm256_srli_epi32(entry, 8), _mm256_set1_epi32(7));
    const __m256i known = count_bits(_mm256_srli_epi32(entry, 12));
    const __m256i signs = _mm256_sub_epi32(_mm256_mullo_epi16(samples, bound), known);
    return _mm256_add_epi32(_mm256_add_epi32(length, signs), excess_lengths(excess));
}

ALWAYS_INLINE uint32_t count_some(const struct j2k_ht_counted_row *own, const struct j2k_ht_counted_row *above,
    uint32_t quad, uint32_t count, struct j2k_ht_events *events)
{
    const size_t at = (size_t)4 * (COUNTED_AROUND + quad);
    const uint8_t *middle = own->exponent + at, *north = above->exponent + at;
    const __m256i order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const struct j2k_ht_quad_vectors q = {
        load_quads(middle), load_quads(middle - 4), {load_quads(north - 4), load_quads(north), load_quads(north + 4)}};
    const __m256i any = _mm256_or_si256(_mm256_or_si256(q.own, q.left), _mm256_or_si256(q.above[0], q.above[2]));
    if (_mm256_testz_si256(any, any)) { /* also of above[1], which lies between */
        events->count += count;
        return 0;
    }
    return add_lanes(count_quads(&q, _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)count), order), events));
}
