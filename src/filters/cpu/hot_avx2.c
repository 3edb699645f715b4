/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the loops of filters for AVX2, and has one for which compilers do not find the instructions. */
#include <immintrin.h>
#include <string.h>

#define TIER(name) name##_avx2
#define HAS_DOWN_8

#include "filters/cpu/hot.h"

/* The weights of two rows, for pmaddwd. There may be no second one. */
static __m256i weights_of(const uint32_t *tap, int k, int last)
{
    return _mm256_set1_epi32((int)(tap[k] | (k < last ? tap[k + 1] << 16 : 0)));
}

/*
 * Pairs of rows are multiplied and added at once. That takes words with a sign, so that 2^15 is taken off the sums, and
 * 2^15 times all weights put back in the end, with the half for rounding.
 */
static void down_8_avx2(const uint16_t *const *row, uint8_t *to, size_t count, const uint32_t *tap, int radius)
{
    const __m256i bias = _mm256_set1_epi16(INT16_MIN), begin = _mm256_set1_epi32((1 << 15) + (1 << 15) * 256);
    const int last = 2 * radius;
    for (size_t i = 0; i < count; i += 16) {
        __m256i low = begin, high = begin;
        for (int k = 0; k <= last; k += 2) {
            const __m256i first = _mm256_loadu_si256((const __m256i *)(const void *)(row[k] + i));
            const __m256i second = _mm256_loadu_si256((const __m256i *)(const void *)(row[k < last ? k + 1 : k] + i));
            const __m256i a = _mm256_xor_si256(first, bias), b = _mm256_xor_si256(second, bias);
            const __m256i weights = weights_of(tap, k, last);
            low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights));
            high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights));
        }
        const __m256i words = _mm256_packus_epi32(_mm256_srli_epi32(low, 16), _mm256_srli_epi32(high, 16));
        const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, words), 0xd8);
        const __m128i made = _mm256_castsi256_si128(bytes);
        memcpy(to + i, &made, count - i < 16 ? count - i : 16);
    }
}

#include "filters/cpu/hot_template.h"
