/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides the 16-bit arithmetic of the fast DCTs with SSE2. */
#ifndef KOSTKA_JPEG_CPU_DSP_FAST_SSE2_H
#define KOSTKA_JPEG_CPU_DSP_FAST_SSE2_H

#include "jpeg/cpu/dsp/sse2.h"
#include "jpeg/tables/dct_fast.h"

/* Computes what fast_product() of fast.h does. */
INLINE __m128i fast_product(__m128i value, int constant)
{
    return _mm_mulhi_epi16(
        _mm_slli_epi16(value, FAST_VALUE_SHIFT), _mm_set1_epi16((int16_t)(constant * (1 << FAST_CONSTANT_SHIFT))));
}

#endif
