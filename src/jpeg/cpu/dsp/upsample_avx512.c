/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Upsamples with AVX-512, as explained in upsample_avx2.c, but only where sums need 16 bits: with bytes alone AVX2 is
 * already as fast as memory.
 */
#include "jpeg/cpu/dsp/avx512.h"
#include "jpeg/cpu/dsp/tiers.h"

/* Load the samples to the left of those at in + i; the one to the left of a row's first sample is 0. */
INLINE __m512i load_left(const uint8_t *in, uint32_t i)
{
    if (i != 0)
        return load512(in + i - 1);
    const __m512i v = load512(in), lanes_before = _mm512_maskz_shuffle_i64x2(0xFC, v, v, 0x90);
    return _mm512_alignr_epi8(v, lanes_before, 15);
}

struct unpacked {
    __m512i low, high;
};

INLINE struct unpacked unpack(__m512i near, __m512i far)
{
    return (struct unpacked){_mm512_unpacklo_epi8(near, far), _mm512_unpackhi_epi8(near, far)};
}

INLINE __m512i blend_h2v2(__m512i this, __m512i left, __m512i right)
{
    const __m512i column = _mm512_set1_epi16(0x0103), three_columns = _mm512_set1_epi16(0x0309);
    const __m512i sum = _mm512_add_epi16(_mm512_maddubs_epi16(this, three_columns), _mm512_set1_epi16(7));
    const __m512i even = _mm512_srli_epi16(_mm512_avg_epu16(sum, _mm512_maddubs_epi16(left, column)), 3);
    const __m512i odd = _mm512_slli_epi16(_mm512_add_epi16(sum, _mm512_maddubs_epi16(right, column)), 4);
    return _mm512_mask_blend_epi8(UINT64_C(0xAAAAAAAAAAAAAAAA), even, odd);
}

static void upsample_h2v2(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (uint32_t i = 0; i < n; i += 64) {
        const struct unpacked this = unpack(load512(near + i), load512(far + i));
        const struct unpacked left = unpack(load_left(near, i), load_left(far, i));
        const struct unpacked right = unpack(load512(near + i + 1), load512(far + i + 1));
        const __m512i low = blend_h2v2(this.low, left.low, right.low);
        const __m512i high = blend_h2v2(this.high, left.high, right.high);
        store512(out + 2 * i, _mm512_permutex2var_epi64(low, first, high));
        if (i + 32 < n) /* otherwise it would exceed the padding */
            store512(out + 2 * i + 64, _mm512_permutex2var_epi64(low, second, high));
    }
    out[0] = (uint8_t)((3 * near[0] + far[0] + 2) >> 2);
    out[2 * n - 1] = (uint8_t)((4 * (3 * near[n - 1] + far[n - 1]) + 7) >> 4);
}

void kst_jpeg_cpu_upsample_avx512(struct jpeg_dsp *dsp)
{
    dsp->upsample_h2v2 = upsample_h2v2;
}
