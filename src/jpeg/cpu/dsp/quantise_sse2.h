/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides the level shift of samples, and the quantisation of coefficients, with SSE2. */
#ifndef KOSTKA_JPEG_CPU_DSP_QUANTISE_SSE2_H
#define KOSTKA_JPEG_CPU_DSP_QUANTISE_SSE2_H

#include "jpeg/cpu/dsp/dsp.h"
#include "jpeg/cpu/dsp/sse2.h"

INLINE __m128i load_samples(const uint8_t *in)
{
    const __m128i samples = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)in), _mm_setzero_si128());
    return _mm_sub_epi16(samples, _mm_set1_epi16(128));
}

INLINE struct jpeg_rows_8x8 load_block(const uint8_t *in, ptrdiff_t pitch)
{
    return (struct jpeg_rows_8x8){
        load_samples(in),
        load_samples(in + pitch),
        load_samples(in + 2 * pitch),
        load_samples(in + 3 * pitch),
        load_samples(in + 4 * pitch),
        load_samples(in + 5 * pitch),
        load_samples(in + 6 * pitch),
        load_samples(in + 7 * pitch),
    };
}

INLINE void quantise_row(__m128i v, const struct jpeg_quantizer *q, int i, int16_t *out)
{
    const __m128i sign = _mm_srai_epi16(v, 15), magnitude = _mm_sub_epi16(_mm_xor_si128(v, sign), sign);
    const __m128i corrected = _mm_add_epi16(magnitude, load128(q->correction + i));
    const __m128i product = _mm_mulhi_epu16(corrected, load128(q->reciprocal + i));
    const __m128i quotient = _mm_mulhi_epu16(product, load128(q->scale + i));
    store128(out + i, _mm_sub_epi16(_mm_xor_si128(quotient, sign), sign));
}

INLINE void quantise_block(struct jpeg_rows_8x8 m, const struct jpeg_quantizer *q, int16_t *out)
{
    quantise_row(m.r0, q, 0, out);
    quantise_row(m.r1, q, 8, out);
    quantise_row(m.r2, q, 16, out);
    quantise_row(m.r3, q, 24, out);
    quantise_row(m.r4, q, 32, out);
    quantise_row(m.r5, q, 40, out);
    quantise_row(m.r6, q, 48, out);
    quantise_row(m.r7, q, 56, out);
}

#endif
