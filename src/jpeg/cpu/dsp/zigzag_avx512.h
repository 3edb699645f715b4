/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts coefficients in zig-zag order with AVX-512, by permutations of whole vectors. */
#ifndef KOSTKA_JPEG_CPU_DSP_ZIGZAG_AVX512_H
#define KOSTKA_JPEG_CPU_DSP_ZIGZAG_AVX512_H

#include "jpeg/cpu/dsp/avx512.h"
#include "jpeg/tables/zigzag.h"

#define RASTER(i) i

static const _Alignas(64) uint16_t order[64] = {JPEG_ZIGZAG(RASTER)};

/* Store rows 0–3 and 4–7 of a block in zig-zag order, and return the mask of the coefficients that are not 0. */
INLINE uint64_t reorder_block(__m512i upper, __m512i lower, int16_t *out)
{
    const __m512i first = _mm512_permutex2var_epi16(upper, load512(order), lower);
    const __m512i second = _mm512_permutex2var_epi16(upper, load512(order + 32), lower);
    store512(out, first);
    store512(out + 32, second);
    return (uint64_t)_mm512_test_epi16_mask(second, second) << 32 | _mm512_test_epi16_mask(first, first);
}

#endif
