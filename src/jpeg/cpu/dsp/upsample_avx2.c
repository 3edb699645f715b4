/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Upsamples with AVX2. The 3:1 filters work on bytes: if ⌊⌋ and ⌈⌉ are the average of two bytes rounded down and up,
 * (3a + b + 1) >> 2 = ⌊(a + ⌈(a + b) / 2⌉) / 2⌋ and (3a + b + 2) >> 2 = ⌈(a + ⌊(a + b) / 2⌋) / 2⌉. Whole vectors are
 * filtered first; then both ends of the row, which lack a neighbour, are corrected.
 */
#include "jpeg/cpu/dsp/avx2.h"
#include "jpeg/cpu/dsp/tiers.h"

INLINE __m256i complement(__m256i a)
{
    return _mm256_xor_si256(a, _mm256_set1_epi8(-1));
}

INLINE __m256i average_down(__m256i a, __m256i b)
{
    return complement(_mm256_avg_epu8(complement(a), complement(b)));
}

INLINE __m256i blend_bias_1(__m256i near, __m256i far)
{
    return average_down(near, _mm256_avg_epu8(near, far));
}

INLINE __m256i blend_bias_2(__m256i near, __m256i far)
{
    return _mm256_avg_epu8(near, average_down(near, far));
}

/* Load the samples to the left of those at in + i; the one to the left of a row's first sample is 0. */
INLINE __m256i load_left(const uint8_t *in, uint32_t i)
{
    if (i != 0)
        return load256(in + i - 1);
    const __m256i v = load256(in);
    return _mm256_alignr_epi8(v, _mm256_permute2x128_si256(v, v, 0x08), 15);
}

/* Store in order 32 samples that _mm256_unpacklo_epi8 and _mm256_unpackhi_epi8 made. */
INLINE void store_unpacked(uint8_t *out, __m256i low, __m256i high)
{
    store256(out, _mm256_permute2x128_si256(low, high, 0x20));
    store256(out + 32, _mm256_permute2x128_si256(low, high, 0x31));
}

static void upsample_h2v1(const uint8_t *in, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 32) {
        const __m256i this = load256(in + i);
        const __m256i even = blend_bias_1(this, load_left(in, i)), odd = blend_bias_2(this, load256(in + i + 1));
        store_unpacked(out + 2 * i, _mm256_unpacklo_epi8(even, odd), _mm256_unpackhi_epi8(even, odd));
    }
    out[0] = in[0];
    out[2 * n - 1] = in[n - 1];
}

struct unpacked {
    __m256i low, high;
};

INLINE struct unpacked unpack(__m256i near, __m256i far)
{
    return (struct unpacked){_mm256_unpacklo_epi8(near, far), _mm256_unpackhi_epi8(near, far)};
}

/*
 * Filter samples of two rows with those one to the left and right in the same rows. Even outputs go to low bytes, odd
 * ones to high bytes.
 */
INLINE __m256i blend_h2v2(__m256i this, __m256i left, __m256i right)
{
    const __m256i column = _mm256_set1_epi16(0x0103), three_columns = _mm256_set1_epi16(0x0309);
    const __m256i sum = _mm256_add_epi16(_mm256_maddubs_epi16(this, three_columns), _mm256_set1_epi16(7));
    /* Compute (sum + left + 1) >> 4. */
    const __m256i even = _mm256_srli_epi16(_mm256_avg_epu16(sum, _mm256_maddubs_epi16(left, column)), 3);
    const __m256i odd = _mm256_slli_epi16(_mm256_add_epi16(sum, _mm256_maddubs_epi16(right, column)), 4);
    return _mm256_or_si256(even, _mm256_andnot_si256(_mm256_set1_epi16(0xFF), odd));
}

static void upsample_h2v2(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 32) {
        const struct unpacked this = unpack(load256(near + i), load256(far + i));
        const struct unpacked left = unpack(load_left(near, i), load_left(far, i));
        const struct unpacked right = unpack(load256(near + i + 1), load256(far + i + 1));
        store_unpacked(
            out + 2 * i, blend_h2v2(this.low, left.low, right.low), blend_h2v2(this.high, left.high, right.high));
    }
    out[0] = (uint8_t)((3 * near[0] + far[0] + 2) >> 2);
    out[2 * n - 1] = (uint8_t)((4 * (3 * near[n - 1] + far[n - 1]) + 7) >> 4);
}

static void upsample_h1v2(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n, bool lower)
{
    for (uint32_t i = 0; i < n; i += 32) {
        const __m256i a = load256(near + i), b = load256(far + i);
        store256(out + i, lower ? blend_bias_2(a, b) : blend_bias_1(a, b));
    }
}

static void replicate_h2(const uint8_t *in, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 32) {
        const struct unpacked twice = unpack(load256(in + i), load256(in + i));
        store_unpacked(out + 2 * i, twice.low, twice.high);
    }
}

void kst_jpeg_cpu_upsample_avx2(struct jpeg_dsp *dsp)
{
    dsp->upsample_h2v1 = upsample_h2v1;
    dsp->upsample_h2v2 = upsample_h2v2;
    dsp->upsample_h1v2 = upsample_h1v2;
    dsp->replicate_h2 = replicate_h2;
}
