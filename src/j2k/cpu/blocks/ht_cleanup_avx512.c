/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes cleanup passes with AVX-512: the samples of four quads are taken together. */
#include <immintrin.h>

#include "j2k/cpu/blocks/block.h"

enum {
    AT_ONCE = 16,
    GROUP = 4,
    SHORT_BITS = 25 /* sixteen numbers of this many bits fit into 64 bytes, and each into four of them */
};

struct row_vectors {
    __m512i largest;  /* largest magnitudes less 1 so far */
    __m512i up, down; /* shifts from 2 µ + 1 to a sample, one of which is 0 */
};

/* This header uses the definitions above. */
#include "j2k/cpu/blocks/ht_cleanup_rows.h"

/* Join the columns that each of sixteen quads looks at: two above it, one on either side. */
ALWAYS_INLINE __m512i look_above(const uint32_t *above)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const __m512i left = _mm512_loadu_si512(above - 1), right = _mm512_loadu_si512(above + 15);
    const __m512i more = _mm512_loadu_si512(above + 1), most = _mm512_loadu_si512(above + 17);
    const __m512i low = _mm512_or_si512(left, more), high = _mm512_or_si512(right, most);
    return _mm512_or_si512(_mm512_permutex2var_epi32(low, even, high), _mm512_permutex2var_epi32(low, odd, high));
}

/*
 * Return the number of bits of numbers below 2^31, or 1 for 0. A float has it in its exponent, if nothing is rounded
 * up.
 */
ALWAYS_INLINE __m512i bit_lengths(__m512i value)
{
    const __m512i exact = _mm512_andnot_si512(_mm512_srli_epi32(value, 1), value);
    const __m512i exponent = _mm512_srli_epi32(_mm512_castps_si512(_mm512_cvtepi32_ps(exact)), 23);
    return _mm512_max_epi32(_mm512_sub_epi32(exponent, _mm512_set1_epi32(126)), _mm512_set1_epi32(1));
}

/* Return the number of bits of numbers below 16. */
ALWAYS_INLINE __m512i bit_counts(__m512i value)
{
    const __m512i counts = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    return _mm512_shuffle_epi8(counts, value);
}

/* Return running sums, each of which includes its own number. */
ALWAYS_INLINE __m512i running_sums(__m512i value)
{
    const __m512i zero = _mm512_setzero_si512();
    value = _mm512_add_epi32(value, _mm512_alignr_epi32(value, zero, 15));
    value = _mm512_add_epi32(value, _mm512_alignr_epi32(value, zero, 14));
    value = _mm512_add_epi32(value, _mm512_alignr_epi32(value, zero, 12));
    return _mm512_add_epi32(value, _mm512_alignr_epi32(value, zero, 8));
}

ALWAYS_INLINE void know_quads(struct j2k_ht_row_reading *reading, uint32_t row, struct j2k_ht_known_quads *known)
{
    const struct j2k_ht_decoder *decoder = reading->decoder;
    const uint16_t *quad = decoder->quad + (size_t)row * decoder->quad_pitch + 1;
    const uint8_t *u = decoder->u + (size_t)row * decoder->quad_pitch + 1;
    const __m512i one = _mm512_set1_epi32(1), low = _mm512_set1_epi32(15), last = _mm512_set1_epi32(15);
    __m512i at = _mm512_set1_epi32((int32_t)reading->at), most = _mm512_setzero_si512();
    for (uint32_t q = 0; q < decoder->quad_columns; q += AT_ONCE) {
        const uint32_t left = decoder->quad_columns - q;
        const __mmask16 inside = left < AT_ONCE ? (__mmask16)((1U << left) - 1) : (__mmask16)0xFFFF;
        const __m512i entry =
            _mm512_maskz_cvtepu16_epi32(inside, _mm256_loadu_si256((const __m256i *)(const void *)(quad + q)));
        const __m512i count = bit_counts(_mm512_and_si512(_mm512_srli_epi32(entry, 4), low));
        const __m512i least = _mm512_mask_mov_epi32(
            one, _mm512_cmpgt_epi32_mask(count, one), bit_lengths(look_above(decoder->above + 2 * q + 2)));
        const __m512i word =
            _mm512_add_epi32(least, _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(u + q))));
        /* Both factors are below 2^16, so that a product of 16 bits will do. */
        const __m512i bits =
            _mm512_sub_epi32(_mm512_mullo_epi16(word, count), bit_counts(_mm512_srli_epi32(entry, 12)));
        const __m512i sums = running_sums(bits);
        most = _mm512_mask_max_epi32(most, _mm512_test_epi32_mask(count, count), most, word);
        _mm512_storeu_si512(known->quad + q, _mm512_or_si512(entry, _mm512_slli_epi32(word, 16)));
        _mm512_storeu_si512(known->at + q, _mm512_add_epi32(at, _mm512_sub_epi32(sums, bits)));
        at = _mm512_add_epi32(at, _mm512_permutexvar_epi32(last, sums));
    }
    reading->end = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(at));
    reading->most = (uint32_t)_mm512_reduce_max_epi32(most);
}

/* Take numbers of at most 25 bits, each from four bytes, of the 64 in which the first of them begins. */
ALWAYS_INLINE __m512i short_numbers(const uint8_t *data, const uint32_t *at, __m512i place)
{
    const __m512i repeat = _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0C0C0C0C));
    const __m512i next = _mm512_set1_epi32(0x03020100);
    const __m512i bytes = _mm512_loadu_si512(data + *at / 8);
    place = _mm512_sub_epi32(place, _mm512_set1_epi32((int32_t)(*at & ~7U)));
    const __m512i byte = _mm512_shuffle_epi8(_mm512_srli_epi32(place, 3), repeat);
    const __m512i words = _mm512_permutexvar_epi8(_mm512_add_epi8(byte, next), bytes);
    return _mm512_srlv_epi32(words, _mm512_and_si512(place, _mm512_set1_epi32(7)));
}

/* Take eight numbers, each from a word of 64 bits. */
ALWAYS_INLINE __m256i gather_numbers(const uint8_t *data, __m256i place)
{
    const __m256i byte = _mm256_srli_epi32(place, 3), bit = _mm256_and_si256(place, _mm256_set1_epi32(7));
    const __m512i words = _mm512_i32gather_epi64(byte, data, 1);
    return _mm512_cvtepi64_epi32(_mm512_srlv_epi64(words, _mm512_cvtepu32_epi64(bit)));
}

ALWAYS_INLINE __m512i long_numbers(const uint8_t *data, __m512i place)
{
    const __m256i low = gather_numbers(data, _mm512_castsi512_si256(place));
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(low), gather_numbers(data, _mm512_extracti64x4_epi64(place, 1)), 1);
}

/* Repeat the number of each of four quads four times. */
ALWAYS_INLINE __m512i spread_group(const uint32_t *number)
{
    const __m512i quads = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const __m128i four = _mm_loadu_si128((const __m128i *)(const void *)number);
    return _mm512_permutexvar_epi32(quads, _mm512_castsi128_si512(four));
}

/* Take the numbers of MagSgn of four quads, whose lengths are `bits`. There are other bits above them. */
ALWAYS_INLINE __m512i take_numbers(const uint8_t *data, const uint32_t *at, bool is_short, __m512i bits)
{
    __m512i sums = _mm512_add_epi32(bits, _mm512_bslli_epi128(bits, 4));
    sums = _mm512_add_epi32(sums, _mm512_bslli_epi128(sums, 8));
    const __m512i place = _mm512_add_epi32(spread_group(at), _mm512_sub_epi32(sums, bits));
    return is_short ? short_numbers(data, at, place) : long_numbers(data, place);
}

ALWAYS_INLINE void store(uint32_t *to, __m256i value)
{
    _mm256_storeu_si256((__m256i *)(void *)to, value);
}

ALWAYS_INLINE void take_group(struct row_vectors *vectors, const uint8_t *data, const struct j2k_ht_known_quads *known,
    uint32_t q, bool is_short, uint32_t *upper, uint32_t *lower, uint32_t *above)
{
    const __m512i rows = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i place = _mm512_broadcast_i32x4(_mm_setr_epi32(16, 32, 64, 128)), one = _mm512_set1_epi32(1);
    const __m512i quad = spread_group(known->quad + q);
    const __mmask16 there = _mm512_test_epi32_mask(quad, place);
    if (there == 0) {
        store(upper, _mm256_setzero_si256());
        store(lower, _mm256_setzero_si256());
        store(above, _mm256_setzero_si256());
        return;
    }
    const __mmask16 is_one = _mm512_test_epi32_mask(quad, _mm512_slli_epi32(place, 4));
    const __mmask16 is_known = _mm512_test_epi32_mask(quad, _mm512_slli_epi32(place, 8));
    __m512i bits = _mm512_maskz_srli_epi32(there, quad, 16);
    bits = _mm512_mask_sub_epi32(bits, is_known, bits, one);
    const __m512i top = _mm512_sllv_epi32(one, bits);
    __m512i number = take_numbers(data, known->at + q, is_short, bits);
    number = _mm512_and_si512(number, _mm512_sub_epi32(top, one));
    number = _mm512_mask_or_epi32(number, is_one, number, top);
    const __m512i less = _mm512_srli_epi32(number, 1);
    vectors->largest = _mm512_max_epu32(vectors->largest, less);
    __m512i sample = _mm512_add_epi32(_mm512_or_si512(number, one), _mm512_set1_epi32(2));
    sample = _mm512_srlv_epi32(_mm512_sllv_epi32(sample, vectors->up), vectors->down);
    sample = _mm512_mask_or_epi32(_mm512_setzero_si512(), there, sample, _mm512_slli_epi32(number, 31));
    sample = _mm512_permutexvar_epi32(rows, sample);
    store(upper, _mm512_castsi512_si256(sample));
    store(lower, _mm512_extracti64x4_epi64(sample, 1));
    store(above, _mm512_cvtepi64_epi32(_mm512_srli_epi64(less, 32)));
}

ALWAYS_INLINE struct row_vectors open_vectors(int32_t shift)
{
    return (struct row_vectors){.largest = _mm512_setzero_si512(),
        .up = _mm512_set1_epi32(shift > 0 ? shift : 0),
        .down = _mm512_set1_epi32(shift < 0 ? -shift : 0)};
}

ALWAYS_INLINE uint32_t largest_of(const struct row_vectors *vectors)
{
    return (uint32_t)_mm512_reduce_max_epu32(vectors->largest);
}

bool kst_j2k_cpu_ht_cleanup_avx512(struct j2k_ht_decoder *decoder)
{
    return take_block(decoder);
}
