/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts coefficients in zig-zag order with AVX-512, by permutations of whole vectors. */
#include "jpeg/cpu/dsp/avx512.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/zigzag.h"

#define RASTER(i) i

static const _Alignas(64) uint16_t order[64] = {JPEG_ZIGZAG(RASTER)};

static uint64_t zigzag(const int16_t *block, int16_t *out)
{
    const __m512i upper = load512(block), lower = load512(block + 32);
    const __m512i first = _mm512_permutex2var_epi16(upper, load512(order), lower);
    const __m512i second = _mm512_permutex2var_epi16(upper, load512(order + 32), lower);
    store512(out, first);
    store512(out + 32, second);
    return (uint64_t)_mm512_test_epi16_mask(second, second) << 32 | _mm512_test_epi16_mask(first, first);
}

void kst_jpeg_cpu_zigzag_avx512(struct jpeg_dsp *dsp)
{
    dsp->zigzag = zigzag;
}
