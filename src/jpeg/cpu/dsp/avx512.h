/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what the AVX-512 stages share. */
#ifndef KOSTKA_JPEG_CPU_DSP_AVX512_H
#define KOSTKA_JPEG_CPU_DSP_AVX512_H

#include "jpeg/cpu/dsp/avx2.h"

INLINE __m512i load512(const void *p)
{
    return _mm512_loadu_si512(p);
}

INLINE void store512(void *p, __m512i v)
{
    _mm512_storeu_si512(p, v);
}

/* Return pairs of 16-bit factors, one pair for each of the lanes 0 to 3. */
INLINE __m512i factors_of_lanes(int a, int b, int c, int d)
{
    return _mm512_setr_epi32(a, a, a, a, b, b, b, b, c, c, c, c, d, d, d, d);
}

/* Return pairs of factors for the even lanes (a) and the odd lanes (b). */
INLINE __m512i factors_of_pairs(int a, int b)
{
    return factors_of_lanes(a, b, a, b);
}

/* Return pairs of factors for the lower half (a) and the upper half (b). */
INLINE __m512i factors_of_halves(int a, int b)
{
    return factors_of_lanes(a, a, b, b);
}

/* Reorder the bytes of v. */
INLINE __m512i reorder(__m512i v, const uint8_t order[64])
{
    return _mm512_permutexvar_epi8(load512(order), v);
}

/* Compute a·k + b·l for pairs of 16-bit elements. */
INLINE __m512i sum_of_products_512(__m512i a, __m512i k, __m512i b, __m512i l)
{
    return _mm512_dpwssd_epi32(_mm512_madd_epi16(a, k), b, l);
}

#endif
