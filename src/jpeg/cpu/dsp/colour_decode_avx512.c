/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts components to pixels with AVX-512, 64 at a time, with the arithmetic of colour_decode_avx2.c. */
#include "jpeg/cpu/dsp/avx512.h"
#include "jpeg/cpu/dsp/colour_rows.h"
#include "jpeg/tables/colour.h"

enum { PIXELS = 64 };

struct rgb {
    __m512i r, g, b;
};

/* Convert one half of the pixels: luma is 0…255, chroma comes as 2·(c − 128). */
INLINE struct rgb convert_half(__m512i y, __m512i cb, __m512i cr)
{
    const __m512i half = _mm512_set1_epi32(1 << 15),
                  green = _mm512_set1_epi32(FACTORS(-YCC_GREEN_CB / 2, -YCC_GREEN_CR / 2));
    const __m512i low = _mm512_dpwssd_epi32(half, _mm512_unpacklo_epi16(cb, cr), green);
    const __m512i high = _mm512_dpwssd_epi32(half, _mm512_unpackhi_epi16(cb, cr), green);
    return (struct rgb){
        .r = _mm512_add_epi16(y, _mm512_mulhrs_epi16(cr, _mm512_set1_epi16(22970))),
        .g = _mm512_add_epi16(y, _mm512_packs_epi32(_mm512_srai_epi32(low, 16), _mm512_srai_epi32(high, 16))),
        .b = _mm512_add_epi16(y, _mm512_mulhrs_epi16(cb, _mm512_set1_epi16(29033))),
    };
}

INLINE struct rgb convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr)
{
    const __m512i zero = _mm512_setzero_si512(), centre = _mm512_set1_epi8(-128);
    const __m512i y8 = load512(y);
    const __m512i cb8 = _mm512_xor_si512(load512(cb), centre), cr8 = _mm512_xor_si512(load512(cr), centre);
    const struct rgb low = convert_half(_mm512_unpacklo_epi8(y8, zero),
        _mm512_srai_epi16(_mm512_unpacklo_epi8(zero, cb8), 7), _mm512_srai_epi16(_mm512_unpacklo_epi8(zero, cr8), 7));
    const struct rgb high = convert_half(_mm512_unpackhi_epi8(y8, zero),
        _mm512_srai_epi16(_mm512_unpackhi_epi8(zero, cb8), 7), _mm512_srai_epi16(_mm512_unpackhi_epi8(zero, cr8), 7));
    return (struct rgb){
        _mm512_packus_epi16(low.r, high.r), _mm512_packus_epi16(low.g, high.g), _mm512_packus_epi16(low.b, high.b)};
}

/* The pixel that byte k of output j belongs to: (64j + k) / 3. */
static const _Alignas(64) uint8_t pixel_of_byte[3][64] = {
    {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10, 10, 11, 11, 11,
        12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15, 16, 16, 16, 17, 17, 17, 18, 18, 18, 19, 19, 19, 20, 20, 20, 21},
    {21, 21, 22, 22, 22, 23, 23, 23, 24, 24, 24, 25, 25, 25, 26, 26, 26, 27, 27, 27, 28, 28, 28, 29, 29, 29, 30, 30, 30,
        31, 31, 31, 32, 32, 32, 33, 33, 33, 34, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 40,
        40, 40, 41, 41, 41, 42, 42},
    {42, 43, 43, 43, 44, 44, 44, 45, 45, 45, 46, 46, 46, 47, 47, 47, 48, 48, 48, 49, 49, 49, 50, 50, 50, 51, 51, 51, 52,
        52, 52, 53, 53, 53, 54, 54, 54, 55, 55, 55, 56, 56, 56, 57, 57, 57, 58, 58, 58, 59, 59, 59, 60, 60, 60, 61, 61,
        61, 62, 62, 62, 63, 63, 63},
};

/* Selects the bytes k with k mod 3 = r. */
INLINE __mmask64 every_third(int r)
{
    return UINT64_C(0x9249249249249249) << r;
}

/* Make output j: `a` at the bytes k of the row with k mod 3 = 0, then b, then c. */
INLINE __m512i interleave(__m512i a, __m512i b, __m512i c, int j)
{
    const __m512i order = load512(pixel_of_byte[j]);
    const __m512i ab = _mm512_mask_permutexvar_epi8(_mm512_permutexvar_epi8(order, a), every_third(1), order, b);
    return _mm512_mask_permutexvar_epi8(ab, every_third(2), order, c);
}

INLINE void store_3(uint8_t *out, __m512i first, __m512i second, __m512i third)
{
    store512(out, interleave(first, second, third, 0));
    store512(out + 64, interleave(second, third, first, 1));
    store512(out + 128, interleave(third, first, second, 2));
}

/*
 * Reorder pixels to 0–3, 16–19, 32–35, 48–51, then the next four of each group: interleaving within lanes then puts
 * them in order.
 */
INLINE __m512i scatter(__m512i v)
{
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), v);
}

INLINE void store_4(uint8_t *out, __m512i first, __m512i second, __m512i third, __m512i fourth)
{
    const __m512i a = scatter(first), b = scatter(second), c = scatter(third), d = scatter(fourth);
    const __m512i low_ab = _mm512_unpacklo_epi8(a, b), high_ab = _mm512_unpackhi_epi8(a, b);
    const __m512i low_cd = _mm512_unpacklo_epi8(c, d), high_cd = _mm512_unpackhi_epi8(c, d);
    store512(out, _mm512_unpacklo_epi16(low_ab, low_cd));
    store512(out + 64, _mm512_unpackhi_epi16(low_ab, low_cd));
    store512(out + 128, _mm512_unpacklo_epi16(high_ab, high_cd));
    store512(out + 192, _mm512_unpackhi_epi16(high_ab, high_cd));
}

INLINE __m512i complement(__m512i v)
{
    return _mm512_xor_si512(v, _mm512_set1_epi8(-1));
}

INLINE void convert_pixels(const struct jpeg_colour_decoding *c, size_t i, uint8_t *out)
{
    struct rgb pixels;
    if (c->from == FROM_YCC) {
        pixels = convert(c->in[0] + i, c->in[1] + i, c->in[2] + i);
    } else if (c->from == FROM_YCCK) {
        pixels = convert(c->in[0] + i, c->in[1] + i, c->in[2] + i);
        pixels = (struct rgb){complement(pixels.r), complement(pixels.g), complement(pixels.b)};
    } else if (c->from == FROM_GREY) {
        pixels.r = pixels.g = pixels.b = load512(c->in[0] + i);
    } else {
        pixels = (struct rgb){load512(c->in[0] + i), load512(c->in[1] + i), load512(c->in[2] + i)};
    }
    const __m512i first = c->red == 0 ? pixels.r : pixels.b, third = c->red == 0 ? pixels.b : pixels.r;
    if (c->size == 3)
        store_3(out, first, pixels.g, third);
    else if (c->from == FROM_YCCK || c->from == FROM_CMYK)
        store_4(out, first, pixels.g, third, load512(c->in[3] + i));
    else
        store_4(out, first, pixels.g, third, _mm512_set1_epi8((char)c->alpha));
}

#define INIT kst_jpeg_cpu_colour_decode_avx512
#include "jpeg/cpu/dsp/colour_decode_rows.h"
