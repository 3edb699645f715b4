/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes cleanup passes with AVX2: the samples of two quads are taken together. */
#include <immintrin.h>

#include "j2k/cpu/blocks/block.h"

enum {
    AT_ONCE = 8,
    GROUP = 2,
    SHORT_BITS = 14 /* four numbers of this many bits fit into a word, wherever in its first byte they begin */
};

struct row_vectors {
    __m256i largest;  /* largest magnitudes less 1 so far */
    __m128i up, down; /* shifts from 2 µ + 1 to a sample, one of which is 0 */
};

/* This header uses the definitions above. */
#include "j2k/cpu/blocks/ht_cleanup_rows.h"

ALWAYS_INLINE __m256i load(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

ALWAYS_INLINE void store(void *to, __m256i value)
{
    _mm256_storeu_si256((__m256i *)to, value);
}

ALWAYS_INLINE uint32_t largest_lane(__m256i numbers)
{
    uint32_t lane[AT_ONCE], largest = 0;
    store(lane, numbers);
    for (uint32_t i = 0; i < AT_ONCE; i++)
        largest = lane[i] > largest ? lane[i] : largest;
    return largest;
}

/* Join the columns that each of eight quads looks at: two above it, one on either side. */
ALWAYS_INLINE __m256i look_above(const uint32_t *above)
{
    __m256i half[2];
    for (uint32_t i = 0; i < 2; i++, above += AT_ONCE)
        half[i] = _mm256_or_si256(
            _mm256_or_si256(load(above - 1), load(above)), _mm256_or_si256(load(above + 1), load(above + 2)));
    const __m256 even = _mm256_shuffle_ps(_mm256_castsi256_ps(half[0]), _mm256_castsi256_ps(half[1]), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(even), 0xD8);
}

/*
 * Return the number of bits of numbers below 2^31, or 1 for 0. A float has it in its exponent, if nothing is rounded
 * up.
 */
ALWAYS_INLINE __m256i bit_lengths(__m256i value)
{
    const __m256i exact = _mm256_andnot_si256(_mm256_srli_epi32(value, 1), value);
    const __m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(exact)), 23);
    return _mm256_max_epi32(_mm256_sub_epi32(exponent, _mm256_set1_epi32(126)), _mm256_set1_epi32(1));
}

/* Return the number of bits of numbers below 16. */
ALWAYS_INLINE __m256i bit_counts(__m256i value)
{
    const __m256i counts = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    return _mm256_shuffle_epi8(counts, value);
}

/* Return running sums, each of which includes its own number. */
ALWAYS_INLINE __m256i running_sums(__m256i value)
{
    value = _mm256_add_epi32(value, _mm256_slli_si256(value, 4));
    value = _mm256_add_epi32(value, _mm256_slli_si256(value, 8));
    const __m256i half = _mm256_permutevar8x32_epi32(value, _mm256_set1_epi32(3));
    return _mm256_add_epi32(value, _mm256_blend_epi32(_mm256_setzero_si256(), half, 0xF0));
}

ALWAYS_INLINE void know_quads(struct j2k_ht_row_reading *reading, uint32_t row, struct j2k_ht_known_quads *known)
{
    const struct j2k_ht_decoder *decoder = reading->decoder;
    const uint16_t *quad = decoder->quad + (size_t)row * decoder->quad_pitch + 1;
    const uint8_t *u = decoder->u + (size_t)row * decoder->quad_pitch + 1;
    const __m256i one = _mm256_set1_epi32(1), low = _mm256_set1_epi32(15);
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i at = _mm256_set1_epi32((int32_t)reading->at), most = _mm256_setzero_si256();
    for (uint32_t q = 0; q < decoder->quad_columns; q += AT_ONCE) {
        const __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)(decoder->quad_columns - q)), numbers);
        const __m256i entry =
            _mm256_and_si256(inside, _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(quad + q))));
        const __m256i rho = _mm256_and_si256(_mm256_srli_epi32(entry, 4), low), count = bit_counts(rho);
        const __m256i several = _mm256_cmpgt_epi32(count, one);
        const __m256i least = _mm256_blendv_epi8(one, bit_lengths(look_above(decoder->above + 2 * q + 2)), several);
        const __m256i word =
            _mm256_add_epi32(least, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(u + q))));
        const __m256i bits =
            _mm256_sub_epi32(_mm256_mullo_epi32(word, count), bit_counts(_mm256_srli_epi32(entry, 12)));
        const __m256i sums = running_sums(bits);
        most = _mm256_max_epi32(most, _mm256_and_si256(word, _mm256_cmpgt_epi32(count, _mm256_setzero_si256())));
        store(known->quad + q, _mm256_or_si256(entry, _mm256_slli_epi32(word, 16)));
        store(known->at + q, _mm256_add_epi32(at, _mm256_sub_epi32(sums, bits)));
        at = _mm256_add_epi32(at, _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7)));
    }
    reading->end = (uint32_t)_mm256_cvtsi256_si32(at);
    reading->most = largest_lane(most);
}

/*
 * Take the numbers of two quads, each quad's from one word: they follow each other and have at most 64 bits together.
 */
ALWAYS_INLINE __m256i short_numbers(const uint8_t *data, const uint32_t at[2], __m256i before)
{
    const __m256i first = _mm256_set1_epi64x((int64_t)j2k_load64(data + at[0] / 8));
    const __m256i second = _mm256_set1_epi64x((int64_t)j2k_load64(data + at[1] / 8));
    const __m256i left = _mm256_srlv_epi64(first, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(before)));
    const __m256i right = _mm256_srlv_epi64(second, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(before, 1)));
    const __m256 both = _mm256_shuffle_ps(_mm256_castsi256_ps(left), _mm256_castsi256_ps(right), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(both), 0xD8);
}

/* Take each number from a word of its own. */
ALWAYS_INLINE __m256i long_numbers(const uint8_t *data, __m256i at)
{
    const __m256i byte = _mm256_srli_epi32(at, 3), bit = _mm256_and_si256(at, _mm256_set1_epi32(7));
    const __m256i left = _mm256_i32gather_epi64((const long long *)(const void *)data, _mm256_castsi256_si128(byte), 1);
    const __m256i right =
        _mm256_i32gather_epi64((const long long *)(const void *)data, _mm256_extracti128_si256(byte, 1), 1);
    const __m256 both = _mm256_shuffle_ps(
        _mm256_castsi256_ps(_mm256_srlv_epi64(left, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(bit)))),
        _mm256_castsi256_ps(_mm256_srlv_epi64(right, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(bit, 1)))), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(both), 0xD8);
}

/* Repeat the number of either quad in one half. */
ALWAYS_INLINE __m256i spread_pair(const uint32_t *number)
{
    const __m256i halves = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    const __m128i pair = _mm_loadl_epi64((const __m128i *)(const void *)number);
    return _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(pair), halves);
}

/* Take the numbers of MagSgn of a pair of quads, whose lengths are `bits`. There are other bits above them. */
ALWAYS_INLINE __m256i take_numbers(const uint8_t *data, const uint32_t *at, bool is_short, __m256i bits)
{
    const __m256i first = spread_pair(at);
    __m256i before = _mm256_add_epi32(_mm256_slli_si256(bits, 4), _mm256_slli_si256(bits, 8));
    before = _mm256_add_epi32(before, _mm256_slli_si256(bits, 12));
    if (is_short)
        return short_numbers(data, at, _mm256_add_epi32(before, _mm256_and_si256(first, _mm256_set1_epi32(7))));
    return long_numbers(data, _mm256_add_epi32(before, first));
}

/* Store the upper row of a pair of quads, which is in the lower half, and the lower one. */
ALWAYS_INLINE void store_rows(uint32_t *upper, uint32_t *lower, __m256i rows)
{
    _mm_storeu_si128((__m128i *)(void *)upper, _mm256_castsi256_si128(rows));
    _mm_storeu_si128((__m128i *)(void *)lower, _mm256_extracti128_si256(rows, 1));
}

ALWAYS_INLINE void take_group(struct row_vectors *vectors, const uint8_t *data, const struct j2k_ht_known_quads *known,
    uint32_t q, bool is_short, uint32_t *upper, uint32_t *lower, uint32_t *above)
{
    const __m256i rows = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7), one = _mm256_set1_epi32(1);
    if (((known->quad[q] | known->quad[q + 1]) & SIGNIFICANT) == 0) {
        store_rows(upper, lower, _mm256_setzero_si256());
        _mm_storeu_si128((__m128i *)(void *)above, _mm_setzero_si128());
        return;
    }
    const __m256i quad = spread_pair(known->quad + q);
    const __m256i place = _mm256_setr_epi32(16, 32, 64, 128, 16, 32, 64, 128);
    const __m256i there = _mm256_cmpeq_epi32(_mm256_and_si256(quad, place), place);
    const __m256i known_at = _mm256_slli_epi32(place, 8), one_at = _mm256_slli_epi32(place, 4);
    const __m256i is_known = _mm256_cmpeq_epi32(_mm256_and_si256(quad, known_at), known_at);
    const __m256i is_one = _mm256_cmpeq_epi32(_mm256_and_si256(quad, one_at), one_at);
    const __m256i bits = _mm256_and_si256(there, _mm256_add_epi32(_mm256_srli_epi32(quad, 16), is_known));
    const __m256i top = _mm256_sllv_epi32(one, bits);
    __m256i number = take_numbers(data, known->at + q, is_short, bits);
    number = _mm256_and_si256(number, _mm256_sub_epi32(top, one));
    number = _mm256_or_si256(number, _mm256_and_si256(is_one, top));
    const __m256i less = _mm256_srli_epi32(number, 1);
    vectors->largest = _mm256_max_epu32(vectors->largest, less);
    __m256i sample = _mm256_add_epi32(_mm256_or_si256(number, one), _mm256_set1_epi32(2));
    sample = _mm256_srl_epi32(_mm256_sll_epi32(sample, vectors->up), vectors->down);
    sample = _mm256_or_si256(sample, _mm256_slli_epi32(number, 31));
    store_rows(upper, lower, _mm256_permutevar8x32_epi32(_mm256_and_si256(sample, there), rows));
    _mm_storeu_si128((__m128i *)(void *)above, _mm256_extracti128_si256(_mm256_permutevar8x32_epi32(less, rows), 1));
}

ALWAYS_INLINE struct row_vectors open_vectors(int32_t shift)
{
    return (struct row_vectors){.largest = _mm256_setzero_si256(),
        .up = _mm_cvtsi32_si128(shift > 0 ? shift : 0),
        .down = _mm_cvtsi32_si128(shift < 0 ? -shift : 0)};
}

ALWAYS_INLINE uint32_t largest_of(const struct row_vectors *vectors)
{
    return largest_lane(vectors->largest);
}

bool kst_j2k_cpu_ht_cleanup_avx2(struct j2k_ht_decoder *decoder)
{
    return take_block(decoder);
}
