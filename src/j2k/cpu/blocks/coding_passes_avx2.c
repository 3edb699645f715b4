/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the coding passes for AVX2, with vector code for collecting and spreading bits, and gains from counted bits.
 */
#include <immintrin.h>

#include "j2k/cpu/blocks/block_encode.h"
#include "j2k/rate/measure.h"

/* Make a byte from each bit position of the words, with the first word's bit lowest, and add `plus`. */
ALWAYS_INLINE void spread_bits(const uint64_t *const word[], uint32_t count, uint32_t plus, uint8_t *to)
{
    const __m256i byte_of = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit_of = _mm256_set1_epi64x((int64_t)0x8040201008040201);
    for (uint32_t half = 0; half < 2; half++) {
        __m256i bytes = _mm256_setzero_si256();
        for (uint32_t k = count; k-- > 0;) {
            __m256i bits = _mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)(*word[k] >> 32 * half)), byte_of);
            __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(bits, bit_of), bit_of); /* −1 if the bit is set */
            bytes = _mm256_sub_epi8(_mm256_add_epi8(bytes, bytes), is_set);
        }
        _mm256_storeu_si256(
            (__m256i *)(void *)(to + (size_t)32 * half), _mm256_add_epi8(bytes, _mm256_set1_epi8((char)plus)));
    }
}

/* Return byte k of the samples of four rows, column by column. */
ALWAYS_INLINE __m256i take_bytes(const __m256i row[4], uint32_t k)
{
    const __m256i low = _mm256_set1_epi32(0xFF);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)(8 * k));
    __m256i bytes = _mm256_and_si256(_mm256_srl_epi32(row[0], shift), low);
    for (uint32_t r = 1; r < 4; r++)
        bytes = _mm256_or_si256(
            bytes, _mm256_slli_epi32(_mm256_and_si256(_mm256_srl_epi32(row[r], shift), low), (int32_t)(8 * r)));
    return bytes;
}

/*
 * Collect sixteen columns of four rows that are `width` apart: planes go to to[0], to[J2K_PLANE_WORDS] and so on, signs
 * to *negative.
 */
ALWAYS_INLINE void gather_columns(const uint32_t *from, size_t width, uint32_t planes, uint64_t *to, uint64_t *negative)
{
    __m256i row[2][4];
    for (uint32_t i = 0; i < 8; i++)
        row[i / 4][i % 4] = _mm256_loadu_si256((const __m256i *)(const void *)(from + i % 4 * width + i / 4 * 8));
    __m256i left = take_bytes(row[0], 3), right = take_bytes(row[1], 3);
    *negative = (uint32_t)_mm256_movemask_epi8(left) | (uint64_t)(uint32_t)_mm256_movemask_epi8(right) << 32;
    for (uint32_t plane = planes; plane-- > 0;) {
        if (plane + 1 == planes || plane % 8 == 7) {
            const __m128i unused = _mm_cvtsi32_si128((int32_t)(7 - plane % 8));
            left = _mm256_sll_epi32(take_bytes(row[0], plane / 8), unused);
            right = _mm256_sll_epi32(take_bytes(row[1], plane / 8), unused);
        }
        to[(size_t)plane * J2K_PLANE_WORDS] =
            (uint32_t)_mm256_movemask_epi8(left) | (uint64_t)(uint32_t)_mm256_movemask_epi8(right) << 32;
        left = _mm256_add_epi8(left, left);
        right = _mm256_add_epi8(right, right);
    }
}

ALWAYS_INLINE uint32_t count_bits(uint64_t word)
{
    return (uint32_t)__builtin_popcountll(word);
}

/* Holds the samples of a word that become significant in a plane, and those that are refined to a 1 or to a 0. */
struct word_sets {
    uint64_t fresh, more, less;
};

/*
 * Sum up the gains of a plane from the bits below it, plane by plane: of each only the numbers of ones matter, which
 * processors count by the word.
 */
static struct j2k_gains plane_gains(const struct j2k_block_encoder *encoder, const struct j2k_measure *measure)
{
    const uint32_t plane = measure->plane, words = encoder->stripes * encoder->words;
    const int64_t one = measure->one, extra = measure->extra;
    struct word_sets set[J2K_PLANE_WORDS];
    uint32_t fresh = 0, more = 0, less = 0;
    for (uint32_t i = 0; i < words; i++) {
        const uint64_t bits = encoder->plane[plane][i];
        uint64_t above = 0;
        for (uint32_t p = plane + 1; p < encoder->planes; p++)
            above |= encoder->plane[p][i];
        set[i] = (struct word_sets){bits & ~above, bits & above, above & ~bits};
        fresh += count_bits(set[i].fresh);
        more += count_bits(set[i].more);
        less += count_bits(set[i].less);
    }
    int64_t fresh_below = measure->odd ? fresh : 0, refined_below = measure->odd ? (int64_t)more - less : 0;
    for (uint32_t p = 0; p < plane; p++) {
        uint32_t ones = 0, more_ones = 0, less_ones = 0;
        for (uint32_t i = 0; i < words; i++) {
            const uint64_t bits = encoder->plane[p][i];
            ones += count_bits(set[i].fresh & bits);
            more_ones += count_bits(set[i].more & bits);
            less_ones += count_bits(set[i].less & bits);
        }
        fresh_below += (int64_t)ones << (p + 1);
        refined_below += ((int64_t)more_ones - less_ones) * ((int64_t)2 << p);
    }
    return (struct j2k_gains){.significance = (3 * one + extra) * fresh + 12 * fresh_below,
        .refinement = (3 * one + extra) * less + (extra - one) * more + 4 * refined_below,
        .significant = fresh,
        .refined = more + less};
}

/* Return the gain of a word's coefficients in `fresh`, which become significant. */
ALWAYS_INLINE int64_t fresh_gain(const struct j2k_block_encoder *encoder, const struct j2k_measure *measure,
    uint32_t stripe, uint32_t w, uint64_t fresh)
{
    const uint64_t *bits = &encoder->plane[0][stripe * encoder->words + w];
    const int64_t count = count_bits(fresh);
    int64_t below = measure->odd ? count : 0;
    for (uint32_t p = 0; p < measure->plane; p++)
        below += (int64_t)count_bits(fresh & bits[(size_t)p * J2K_PLANE_WORDS]) << (p + 1);
    return (3 * (int64_t)measure->one + measure->extra) * count + 12 * below;
}

#include "j2k/cpu/blocks/coding_passes.h"

const struct j2k_coding_passes *kst_j2k_cpu_coding_passes_avx2(void)
{
    return &passes;
}
