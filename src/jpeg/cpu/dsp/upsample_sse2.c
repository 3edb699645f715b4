/* SPDX-License-Identifier: BSD-2-Clause */
/* Upsamples with SSE2, as explained in upsample_avx2.c. */
#include "jpeg/cpu/dsp/sse2.h"
#include "jpeg/cpu/dsp/tiers.h"

INLINE __m128i complement(__m128i a)
{
    return _mm_xor_si128(a, _mm_set1_epi8(-1));
}

INLINE __m128i average_down(__m128i a, __m128i b)
{
    return complement(_mm_avg_epu8(complement(a), complement(b)));
}

INLINE __m128i blend_bias_1(__m128i near, __m128i far)
{
    return average_down(near, _mm_avg_epu8(near, far));
}

INLINE __m128i blend_bias_2(__m128i near, __m128i far)
{
    return _mm_avg_epu8(near, average_down(near, far));
}

INLINE __m128i load_left(const uint8_t *in, uint32_t i)
{
    return i != 0 ? load128(in + i - 1) : _mm_slli_si128(load128(in), 1);
}

static void upsample_h2v1(const uint8_t *in, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 16) {
        const __m128i this = load128(in + i);
        const __m128i even = blend_bias_1(this, load_left(in, i)), odd = blend_bias_2(this, load128(in + i + 1));
        store128(out + 2 * i, _mm_unpacklo_epi8(even, odd));
        store128(out + 2 * i + 16, _mm_unpackhi_epi8(even, odd));
    }
    out[0] = in[0];
    out[2 * n - 1] = in[n - 1];
}

/* Compute 3·near + far for eight columns. */
INLINE __m128i column(__m128i near, __m128i far)
{
    return _mm_add_epi16(_mm_add_epi16(near, _mm_add_epi16(near, near)), far);
}

INLINE __m128i column_low(__m128i near, __m128i far)
{
    const __m128i zero = _mm_setzero_si128();
    return column(_mm_unpacklo_epi8(near, zero), _mm_unpacklo_epi8(far, zero));
}

INLINE __m128i column_high(__m128i near, __m128i far)
{
    const __m128i zero = _mm_setzero_si128();
    return column(_mm_unpackhi_epi8(near, zero), _mm_unpackhi_epi8(far, zero));
}

/* Compute 16 outputs from eight columns and their neighbours. */
INLINE __m128i blend_h2v2(__m128i this, __m128i left, __m128i right)
{
    const __m128i sum = column(this, _mm_set1_epi16(7));
    const __m128i even = _mm_srli_epi16(_mm_avg_epu16(sum, left), 3); /* (sum + left + 1) >> 4 */
    const __m128i odd = _mm_slli_epi16(_mm_add_epi16(sum, right), 4);
    return _mm_or_si128(even, _mm_andnot_si128(_mm_set1_epi16(0xFF), odd));
}

static void upsample_h2v2(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 16) {
        const __m128i this_near = load128(near + i), this_far = load128(far + i);
        const __m128i left_near = load_left(near, i), left_far = load_left(far, i);
        const __m128i right_near = load128(near + i + 1), right_far = load128(far + i + 1);
        store128(out + 2 * i, blend_h2v2(column_low(this_near, this_far), column_low(left_near, left_far),
                                  column_low(right_near, right_far)));
        store128(out + 2 * i + 16, blend_h2v2(column_high(this_near, this_far), column_high(left_near, left_far),
                                       column_high(right_near, right_far)));
    }
    out[0] = (uint8_t)((3 * near[0] + far[0] + 2) >> 2);
    out[2 * n - 1] = (uint8_t)((4 * (3 * near[n - 1] + far[n - 1]) + 7) >> 4);
}

static void upsample_h1v2(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n, bool lower)
{
    for (uint32_t i = 0; i < n; i += 16) {
        const __m128i a = load128(near + i), b = load128(far + i);
        store128(out + i, lower ? blend_bias_2(a, b) : blend_bias_1(a, b));
    }
}

static void replicate_h2(const uint8_t *in, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 16) {
        const __m128i v = load128(in + i);
        store128(out + 2 * i, _mm_unpacklo_epi8(v, v));
        store128(out + 2 * i + 16, _mm_unpackhi_epi8(v, v));
    }
}

void kst_jpeg_cpu_upsample_sse2(struct jpeg_dsp *dsp)
{
    dsp->upsample_h2v1 = upsample_h2v1;
    dsp->upsample_h2v2 = upsample_h2v2;
    dsp->upsample_h1v2 = upsample_h1v2;
    dsp->replicate_h2 = replicate_h2;
}
