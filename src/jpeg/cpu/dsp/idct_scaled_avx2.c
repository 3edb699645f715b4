/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the inverse DCTs of idct_scaled.c with AVX2: eight columns at once, then the two halves of each row. */
#include <string.h>

#include "jpeg/cpu/dsp/avx2.h"
#include "jpeg/cpu/dsp/scaled_factors.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

enum { SHIFT_1 = DCT_BITS - DCT_PASS_BITS, SHIFT_2 = DCT_BITS + DCT_PASS_BITS + 3 };

INLINE __m256i dequantise(const int16_t *coefficients, const uint16_t *quant)
{
    const __m256i c = _mm256_cvtepi16_epi32(load128(coefficients)), q = _mm256_cvtepi16_epi32(load128(quant));
    return _mm256_mullo_epi32(c, q);
}

/* Dequantise to columns of 32 bits. Return false if a magnitude is too large for sums of 32 bits. */
INLINE bool load_columns(const int16_t *coefficients, const uint16_t *quant, __m256i in[8])
{
    __m256i beyond = _mm256_setzero_si256();
    for (int k = 0; k < 8; k++) {
        in[k] = dequantise(coefficients + 8 * k, quant + 8 * k);
        beyond = _mm256_or_si256(beyond, _mm256_cmpgt_epi32(_mm256_abs_epi32(in[k]), _mm256_set1_epi32(SCALED_NARROW)));
    }
    return _mm256_testz_si256(beyond, beyond);
}

INLINE void transform_columns(int n, const __m256i in[8], int32_t rows[16][8])
{
    const int32_t(*factor)[8] = kst_jpeg_cpu_scaled_factors[n];
    for (int j = 0; j < (n + 1) / 2; j++) {
        __m256i even = _mm256_set1_epi32(1 << (SHIFT_1 - 1)), odd = _mm256_setzero_si256();
        for (int k = 0; k < 8 && k < n; k += 2)
            even = _mm256_add_epi32(even, _mm256_mullo_epi32(in[k], _mm256_set1_epi32(factor[k][j])));
        for (int k = 1; k < 8 && k < n; k += 2)
            odd = _mm256_add_epi32(odd, _mm256_mullo_epi32(in[k], _mm256_set1_epi32(factor[k][j])));
        store256(rows[j], _mm256_srai_epi32(_mm256_add_epi32(even, odd), SHIFT_1));
        store256(rows[n - 1 - j], _mm256_srai_epi32(_mm256_sub_epi32(even, odd), SHIFT_1));
    }
}

/* Keep 10 bits of each sum, with sign, behind the last SHIFT_2 bits. */
INLINE __m256i sample_of(__m256i sum)
{
    return _mm256_srai_epi32(_mm256_slli_epi32(sum, 32 - 10 - SHIFT_2), 32 - 10);
}

/* Make the n samples of a row; 16 bytes are written. */
INLINE void transform_row(int n, const int32_t in[8], uint8_t out[16])
{
    const int32_t(*factor)[8] = kst_jpeg_cpu_scaled_factors[n];
    __m256i even = _mm256_set1_epi32(1 << (SHIFT_2 - 1)), odd = _mm256_setzero_si256();
    for (int k = 0; k < 8 && k < n; k += 2)
        even = _mm256_add_epi32(even, _mm256_mullo_epi32(load256(factor[k]), _mm256_set1_epi32(in[k])));
    for (int k = 1; k < 8 && k < n; k += 2)
        odd = _mm256_add_epi32(odd, _mm256_mullo_epi32(load256(factor[k]), _mm256_set1_epi32(in[k])));
    const __m256i front = sample_of(_mm256_add_epi32(even, odd)), back = sample_of(_mm256_sub_epi32(even, odd));
    /* Lanes hold outputs 0–3 from the front, 0–3 from the back, then 4–7 in the same way. */
    const __m256i words = _mm256_add_epi16(_mm256_packs_epi32(front, back), _mm256_set1_epi16(128));
    const __m256i bytes = _mm256_packus_epi16(words, words);
    const __m128i low = _mm256_castsi256_si128(bytes), high = _mm256_extracti128_si256(bytes, 1);
    const __m128i all = _mm_unpacklo_epi32(low, high);
    _Alignas(16) uint8_t ends[16]; /* front 0–7, back 0–7 */
    store128(ends, all);
    memcpy(out, ends, 8);
    const __m128i turn = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, -1, -1, -1, -1, -1, -1, -1, -1);
    uint8_t reversed[16];
    store128(reversed, _mm_shuffle_epi8(all, turn));
    memcpy(out + n - n / 2, reversed + 8 - n / 2, (size_t)(n / 2));
}

INLINE void idct(int n, const int16_t *coefficients, const uint16_t *quant, uint8_t *out, ptrdiff_t pitch)
{
    __m256i in[8];
    int32_t rows[16][8];
    uint8_t line[16];
    if (load_columns(coefficients, quant, in))
        transform_columns(n, in, rows);
    else
        kst_jpeg_cpu_scaled_columns((uint32_t)n, coefficients, quant, rows);
    for (int y = 0; y < n; y++) {
        transform_row(n, rows[y], line);
        memcpy(out + y * pitch, line, (size_t)n);
    }
}

#define DEFINE(n)                                                                                                      \
    static void idct_##n(                                                                                              \
        const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)              \
    {                                                                                                                  \
        (void)last;                                                                                                    \
        idct(n, coefficients, quant, out, pitch);                                                                      \
    }

FOR_EACH_SCALED_SIZE(DEFINE)

#define SET(n) dsp->idct[n] = idct_##n;

void kst_jpeg_cpu_idct_scaled_avx2(struct jpeg_dsp *dsp)
{
    FOR_EACH_SCALED_SIZE(SET)
}
