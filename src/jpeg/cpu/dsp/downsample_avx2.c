/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the averages of downsample.c with AVX2. */
#include "jpeg/cpu/dsp/avx2.h"
#include "jpeg/cpu/dsp/tiers.h"

/* Return the sums of neighbouring samples, as 16-bit elements. */
INLINE __m256i pair_sums(const uint8_t *in)
{
    return _mm256_maddubs_epi16(load256(in), _mm256_set1_epi8(1));
}

INLINE void store_sums(uint8_t *out, __m256i low, __m256i high)
{
    store256(out, _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0xD8));
}

static void downsample_h2v1(const uint8_t *in, uint8_t *out, uint32_t n)
{
    const __m256i bias = _mm256_set1_epi32(0x10000);
    for (size_t i = 0; i < n; i += 32) {
        const __m256i low = _mm256_add_epi16(pair_sums(in + 2 * i), bias);
        const __m256i high = _mm256_add_epi16(pair_sums(in + 2 * i + 32), bias);
        store_sums(out + i, _mm256_srli_epi16(low, 1), _mm256_srli_epi16(high, 1));
    }
}

static void downsample_h2v2(const uint8_t *upper, const uint8_t *lower, uint8_t *out, uint32_t n)
{
    const __m256i bias = _mm256_set1_epi32(0x20001);
    for (size_t i = 0; i < n; i += 32) {
        const __m256i low = _mm256_add_epi16(pair_sums(upper + 2 * i), pair_sums(lower + 2 * i));
        const __m256i high = _mm256_add_epi16(pair_sums(upper + 2 * i + 32), pair_sums(lower + 2 * i + 32));
        store_sums(out + i, _mm256_srli_epi16(_mm256_add_epi16(low, bias), 2),
            _mm256_srli_epi16(_mm256_add_epi16(high, bias), 2));
    }
}

void kst_jpeg_cpu_downsample_avx2(struct jpeg_dsp *dsp)
{
    dsp->downsample_h2v1 = downsample_h2v1;
    dsp->downsample_h2v2 = downsample_h2v2;
}
