/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts components to pixels with AVX2, 32 pixels at a time. Shorter rows go through a buffer; at the end of longer
 * rows the last 32 pixels overlap those before. Rounding multiplications with 15 fraction bits give the terms of red
 * and blue exactly as 16 bits would, for all 256 chroma values; green's term needs 32 bits.
 */
#include "jpeg/cpu/dsp/avx2.h"
#include "jpeg/cpu/dsp/colour_rows.h"
#include "jpeg/tables/colour.h"

enum { PIXELS = 32 };

struct rgb {
    __m256i r, g, b;
};

/* Convert one half of the pixels: luma is 0…255, chroma comes as 2·(c − 128). */
INLINE void convert_half(__m256i y, __m256i cb, __m256i cr, __m256i *r, __m256i *g, __m256i *b)
{
    const __m256i half = _mm256_set1_epi32(1 << 15), green = factors(-YCC_GREEN_CB / 2, -YCC_GREEN_CR / 2);
    const __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(cb, cr), green);
    const __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(cb, cr), green);
    const __m256i difference = _mm256_packs_epi32(
        _mm256_srai_epi32(_mm256_add_epi32(low, half), 16), _mm256_srai_epi32(_mm256_add_epi32(high, half), 16));
    *r = _mm256_add_epi16(y, _mm256_mulhrs_epi16(cr, _mm256_set1_epi16(22970)));
    *g = _mm256_add_epi16(y, difference);
    *b = _mm256_add_epi16(y, _mm256_mulhrs_epi16(cb, _mm256_set1_epi16(29033)));
}

INLINE struct rgb convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr)
{
    const __m256i zero = _mm256_setzero_si256(), centre = _mm256_set1_epi8(-128);
    const __m256i y8 = load256(y);
    const __m256i cb8 = _mm256_xor_si256(load256(cb), centre), cr8 = _mm256_xor_si256(load256(cr), centre);
    __m256i r[2], g[2], b[2];
    convert_half(_mm256_unpacklo_epi8(y8, zero), _mm256_srai_epi16(_mm256_unpacklo_epi8(zero, cb8), 7),
        _mm256_srai_epi16(_mm256_unpacklo_epi8(zero, cr8), 7), &r[0], &g[0], &b[0]);
    convert_half(_mm256_unpackhi_epi8(y8, zero), _mm256_srai_epi16(_mm256_unpackhi_epi8(zero, cb8), 7),
        _mm256_srai_epi16(_mm256_unpackhi_epi8(zero, cr8), 7), &r[1], &g[1], &b[1]);
    return (struct rgb){
        _mm256_packus_epi16(r[0], r[1]), _mm256_packus_epi16(g[0], g[1]), _mm256_packus_epi16(b[0], b[1])};
}

/* Put sample i at byte 3i + `offset` mod 16 of its lane: its place in whichever of the three outputs holds it. */
INLINE __m256i spread(__m256i v, int offset)
{
    const __m128i order[3] = {
        _mm_setr_epi8(0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10, 5),
        _mm_setr_epi8(5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10),
        _mm_setr_epi8(10, 5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15),
    };
    return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(order[offset]));
}

/* In each lane, take byte i from `first` if i mod 3 is 0, from `second` if it is 1, from `third` if it is 2. */
INLINE __m256i choose(__m256i first, __m256i second, __m256i third)
{
    const __m256i is_second =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0));
    const __m256i is_third =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0));
    return _mm256_blendv_epi8(_mm256_blendv_epi8(first, second, is_second), third, is_third);
}

INLINE void store_3(uint8_t *out, __m256i first, __m256i second, __m256i third)
{
    const __m256i a = spread(first, 0), b = spread(second, 1), c = spread(third, 2);
    const __m256i x = choose(a, b, c), y = choose(b, c, a), z = choose(c, a, b);
    store256(out, _mm256_permute2x128_si256(x, y, 0x20));
    store256(out + 32, _mm256_permute2x128_si256(z, x, 0x30));
    store256(out + 64, _mm256_permute2x128_si256(y, z, 0x31));
}

INLINE void store_4(uint8_t *out, __m256i first, __m256i second, __m256i third, __m256i fourth)
{
    const __m256i low12 = _mm256_unpacklo_epi8(first, second), high12 = _mm256_unpackhi_epi8(first, second);
    const __m256i low34 = _mm256_unpacklo_epi8(third, fourth), high34 = _mm256_unpackhi_epi8(third, fourth);
    const __m256i q0 = _mm256_unpacklo_epi16(low12, low34), q1 = _mm256_unpackhi_epi16(low12, low34);
    const __m256i q2 = _mm256_unpacklo_epi16(high12, high34), q3 = _mm256_unpackhi_epi16(high12, high34);
    store256(out, _mm256_permute2x128_si256(q0, q1, 0x20));
    store256(out + 32, _mm256_permute2x128_si256(q2, q3, 0x20));
    store256(out + 64, _mm256_permute2x128_si256(q0, q1, 0x31));
    store256(out + 96, _mm256_permute2x128_si256(q2, q3, 0x31));
}

INLINE void convert_pixels(const struct jpeg_colour_decoding *c, size_t i, uint8_t *out)
{
    const __m256i ones = _mm256_set1_epi8(-1);
    struct rgb pixels;
    if (c->from == FROM_YCC || c->from == FROM_YCCK) {
        pixels = convert(c->in[0] + i, c->in[1] + i, c->in[2] + i);
        if (c->from == FROM_YCCK)
            pixels = (struct rgb){
                _mm256_xor_si256(pixels.r, ones), _mm256_xor_si256(pixels.g, ones), _mm256_xor_si256(pixels.b, ones)};
    } else if (c->from == FROM_GREY) {
        pixels.r = pixels.g = pixels.b = load256(c->in[0] + i);
    } else {
        pixels = (struct rgb){load256(c->in[0] + i), load256(c->in[1] + i), load256(c->in[2] + i)};
    }
    const __m256i first = c->red == 0 ? pixels.r : pixels.b, third = c->red == 0 ? pixels.b : pixels.r;
    if (c->size == 3)
        store_3(out, first, pixels.g, third);
    else if (c->from == FROM_YCCK || c->from == FROM_CMYK)
        store_4(out, first, pixels.g, third, load256(c->in[3] + i));
    else
        store_4(out, first, pixels.g, third, _mm256_set1_epi8((char)c->alpha));
}

#define INIT kst_jpeg_cpu_colour_decode_avx2
#include "jpeg/cpu/dsp/colour_decode_rows.h"
