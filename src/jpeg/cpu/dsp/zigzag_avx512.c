/* SPDX-License-Identifier: BSD-2-Clause */
/* Zig-zag order with AVX-512: permutations of whole vectors. */
#include "jpeg/cpu/dsp/avx512.h"
#include "jpeg/cpu/dsp/tiers.h"

/* Raster indices of the zig-zag indices 0–31 and 32–63. */
static const _Alignas(64) uint16_t order[2][32] = {
    {0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
        28},
    {35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
        55, 62, 63},
};

static uint64_t zigzag(const int16_t *block, int16_t *out)
{
    const __m512i upper = load512(block), lower = load512(block + 32);
    const __m512i first = _mm512_permutex2var_epi16(upper, load512(order[0]), lower);
    const __m512i second = _mm512_permutex2var_epi16(upper, load512(order[1]), lower);
    store512(out, first);
    store512(out + 32, second);
    return (uint64_t)_mm512_test_epi16_mask(second, second) << 32 | _mm512_test_epi16_mask(first, first);
}

void kst_jpeg_zigzag_avx512(struct jpeg_dsp *dsp)
{
    dsp->zigzag = zigzag;
}
