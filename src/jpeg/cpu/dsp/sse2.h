/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what the SSE2 stages share. */
#ifndef KOSTKA_JPEG_CPU_DSP_SSE2_H
#define KOSTKA_JPEG_CPU_DSP_SSE2_H

#include <emmintrin.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

/* Two 16-bit factors for _mm_madd_epi16, as one 32-bit element; `low` multiplies the element at the lower address. */
#define FACTORS(low, high) ((int)((uint32_t)(uint16_t)(high) << 16 | (uint16_t)(low)))

INLINE __m128i factors(int low, int high)
{
    return _mm_set1_epi32(FACTORS(low, high));
}

INLINE __m128i load128(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE void store128(void *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)p, v);
}

/* Compute a·k + b·l for pairs of 16-bit elements. */
INLINE __m128i sum_of_products(__m128i a, __m128i k, __m128i b, __m128i l)
{
    return _mm_add_epi32(_mm_madd_epi16(a, k), _mm_madd_epi16(b, l));
}

/* Holds 8×8 16-bit elements. */
struct jpeg_rows_8x8 {
    __m128i r0, r1, r2, r3, r4, r5, r6, r7;
};

INLINE struct jpeg_rows_8x8 transpose(struct jpeg_rows_8x8 m)
{
    const __m128i a0 = _mm_unpacklo_epi16(m.r0, m.r1), a1 = _mm_unpackhi_epi16(m.r0, m.r1);
    const __m128i a2 = _mm_unpacklo_epi16(m.r2, m.r3), a3 = _mm_unpackhi_epi16(m.r2, m.r3);
    const __m128i a4 = _mm_unpacklo_epi16(m.r4, m.r5), a5 = _mm_unpackhi_epi16(m.r4, m.r5);
    const __m128i a6 = _mm_unpacklo_epi16(m.r6, m.r7), a7 = _mm_unpackhi_epi16(m.r6, m.r7);
    const __m128i b0 = _mm_unpacklo_epi32(a0, a2), b1 = _mm_unpackhi_epi32(a0, a2);
    const __m128i b2 = _mm_unpacklo_epi32(a1, a3), b3 = _mm_unpackhi_epi32(a1, a3);
    const __m128i b4 = _mm_unpacklo_epi32(a4, a6), b5 = _mm_unpackhi_epi32(a4, a6);
    const __m128i b6 = _mm_unpacklo_epi32(a5, a7), b7 = _mm_unpackhi_epi32(a5, a7);
    return (struct jpeg_rows_8x8){
        _mm_unpacklo_epi64(b0, b4),
        _mm_unpackhi_epi64(b0, b4),
        _mm_unpacklo_epi64(b1, b5),
        _mm_unpackhi_epi64(b1, b5),
        _mm_unpacklo_epi64(b2, b6),
        _mm_unpackhi_epi64(b2, b6),
        _mm_unpacklo_epi64(b3, b7),
        _mm_unpackhi_epi64(b3, b7),
    };
}

#endif
