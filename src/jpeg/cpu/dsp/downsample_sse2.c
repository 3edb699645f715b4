/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the averages of downsample.c with SSE2. */
#include "jpeg/cpu/dsp/sse2.h"
#include "jpeg/cpu/dsp/tiers.h"

/* Return the sums of neighbouring samples, as 16-bit elements. */
INLINE __m128i pair_sums(const uint8_t *in)
{
    const __m128i v = load128(in);
    return _mm_add_epi16(_mm_and_si128(v, _mm_set1_epi16(0xFF)), _mm_srli_epi16(v, 8));
}

static void downsample_h2v1(const uint8_t *in, uint8_t *out, uint32_t n)
{
    const __m128i bias = _mm_set1_epi32(0x10000);
    for (size_t i = 0; i < n; i += 16) {
        const __m128i low = _mm_add_epi16(pair_sums(in + 2 * i), bias);
        const __m128i high = _mm_add_epi16(pair_sums(in + 2 * i + 16), bias);
        store128(out + i, _mm_packus_epi16(_mm_srli_epi16(low, 1), _mm_srli_epi16(high, 1)));
    }
}

static void downsample_h2v2(const uint8_t *upper, const uint8_t *lower, uint8_t *out, uint32_t n)
{
    const __m128i bias = _mm_set1_epi32(0x20001);
    for (size_t i = 0; i < n; i += 16) {
        const __m128i low = _mm_add_epi16(pair_sums(upper + 2 * i), pair_sums(lower + 2 * i));
        const __m128i high = _mm_add_epi16(pair_sums(upper + 2 * i + 16), pair_sums(lower + 2 * i + 16));
        store128(out + i, _mm_packus_epi16(_mm_srli_epi16(_mm_add_epi16(low, bias), 2),
                              _mm_srli_epi16(_mm_add_epi16(high, bias), 2)));
    }
}

void kst_jpeg_cpu_downsample_sse2(struct jpeg_dsp *dsp)
{
    dsp->downsample_h2v1 = downsample_h2v1;
    dsp->downsample_h2v2 = downsample_h2v2;
}
