/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what the AVX2 stages share. */
#ifndef KOSTKA_JPEG_CPU_DSP_AVX2_H
#define KOSTKA_JPEG_CPU_DSP_AVX2_H

#include <immintrin.h>
#include <stdint.h>

/* Marks functions whose arguments must become constants, or whose results must stay in registers. */
#define INLINE static inline __attribute__((always_inline))

/*
 * Two 16-bit factors for _mm256_madd_epi16, as one 32-bit element; `low` multiplies the element at the lower address.
 */
#define FACTORS(low, high) ((int)((uint32_t)(uint16_t)(high) << 16 | (uint16_t)(low)))

INLINE __m256i factors(int low, int high)
{
    return _mm256_set1_epi32(FACTORS(low, high));
}

/* Return a pair of factors for the lower lane and another for the upper lane. */
INLINE __m256i lane_factors(int low, int high, int upper_low, int upper_high)
{
    const int a = FACTORS(low, high), b = FACTORS(upper_low, upper_high);
    return _mm256_setr_epi32(a, a, a, a, b, b, b, b);
}

INLINE __m256i load256(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE void store256(void *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)p, v);
}

INLINE __m128i load128(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE void store128(void *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)p, v);
}

/* Store two rows of 8 samples. */
INLINE void store_row_pair(__m128i rows, uint8_t *a, uint8_t *b)
{
    _mm_storel_epi64((__m128i *)a, rows);
    _mm_storeh_pi((__m64 *)b, _mm_castsi128_ps(rows));
}

#endif
