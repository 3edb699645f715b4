/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts components to pixels with SSE2, 16 at a time. A 16-bit multiplication keeps only the upper half of the
 * product. So the fraction of a factor is applied to twice the chroma and the result rounded explicitly: 1.402 is used
 * as 1 + 26345/65536, and 1.772 as 2 − 14942/65536.
 */
#include "jpeg/cpu/dsp/colour_rows.h"
#include "jpeg/cpu/dsp/sse2.h"
#include "jpeg/tables/colour.h"

enum { PIXELS = 16 };

struct rgb {
    __m128i r, g, b;
};

/* Compute ⌊(twice·fraction / 2^16 + 1) / 2⌋. */
INLINE __m128i fraction_of(__m128i twice, int fraction)
{
    const __m128i product = _mm_mulhi_epi16(twice, _mm_set1_epi16((int16_t)fraction));
    return _mm_srai_epi16(_mm_add_epi16(product, _mm_set1_epi16(1)), 1);
}

/* Convert one half of the pixels: luma is 0…255, chroma comes as 2·(c − 128). */
INLINE struct rgb convert_half(__m128i y, __m128i cb, __m128i cr)
{
    const __m128i half = _mm_set1_epi32(1 << 15), green = factors(-YCC_GREEN_CB / 2, -YCC_GREEN_CR / 2);
    const __m128i low = _mm_add_epi32(_mm_madd_epi16(_mm_unpacklo_epi16(cb, cr), green), half);
    const __m128i high = _mm_add_epi32(_mm_madd_epi16(_mm_unpackhi_epi16(cb, cr), green), half);
    return (struct rgb){
        .r = _mm_add_epi16(_mm_add_epi16(y, _mm_srai_epi16(cr, 1)), fraction_of(cr, 26345)),
        .g = _mm_add_epi16(y, _mm_packs_epi32(_mm_srai_epi32(low, 16), _mm_srai_epi32(high, 16))),
        .b = _mm_add_epi16(_mm_add_epi16(y, cb), fraction_of(cb, -14942)),
    };
}

INLINE struct rgb convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr)
{
    const __m128i zero = _mm_setzero_si128(), centre = _mm_set1_epi8(-128);
    const __m128i y8 = load128(y);
    const __m128i cb8 = _mm_xor_si128(load128(cb), centre), cr8 = _mm_xor_si128(load128(cr), centre);
    const struct rgb low = convert_half(_mm_unpacklo_epi8(y8, zero), _mm_srai_epi16(_mm_unpacklo_epi8(zero, cb8), 7),
        _mm_srai_epi16(_mm_unpacklo_epi8(zero, cr8), 7));
    const struct rgb high = convert_half(_mm_unpackhi_epi8(y8, zero), _mm_srai_epi16(_mm_unpackhi_epi8(zero, cb8), 7),
        _mm_srai_epi16(_mm_unpackhi_epi8(zero, cr8), 7));
    return (struct rgb){
        _mm_packus_epi16(low.r, high.r), _mm_packus_epi16(low.g, high.g), _mm_packus_epi16(low.b, high.b)};
}

/* Reduce four pixels of 4 bytes to 12 bytes; the upper four bytes are 0. */
INLINE __m128i drop_fourth(__m128i pixels)
{
    const __m128i first = _mm_set1_epi64x(0xFFFFFF), second = _mm_set1_epi64x(0xFFFFFF000000);
    const __m128i six = _mm_or_si128(_mm_and_si128(pixels, first), _mm_and_si128(_mm_srli_epi64(pixels, 8), second));
    const __m128i low = _mm_move_epi64(six);
    return _mm_or_si128(low, _mm_slli_si128(_mm_srli_si128(six, 8), 6));
}

INLINE void store_pixels(uint8_t *out, int size, __m128i a, __m128i b, __m128i c, __m128i d)
{
    if (size == 4) {
        store128(out, a);
        store128(out + 16, b);
        store128(out + 32, c);
        store128(out + 48, d);
        return;
    }
    const __m128i a3 = drop_fourth(a), b3 = drop_fourth(b), c3 = drop_fourth(c), d3 = drop_fourth(d);
    store128(out, _mm_or_si128(a3, _mm_slli_si128(b3, 12)));
    store128(out + 16, _mm_or_si128(_mm_srli_si128(b3, 4), _mm_slli_si128(c3, 8)));
    store128(out + 32, _mm_or_si128(_mm_srli_si128(c3, 8), _mm_slli_si128(d3, 4)));
}

INLINE __m128i complement(__m128i v)
{
    return _mm_xor_si128(v, _mm_set1_epi8(-1));
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
        pixels.r = pixels.g = pixels.b = load128(c->in[0] + i);
    } else {
        pixels = (struct rgb){load128(c->in[0] + i), load128(c->in[1] + i), load128(c->in[2] + i)};
    }
    const bool cmyk = c->from == FROM_YCCK || c->from == FROM_CMYK;
    const __m128i fourth = cmyk ? load128(c->in[3] + i) : _mm_set1_epi8((char)c->alpha);
    const __m128i first = c->red == 0 ? pixels.r : pixels.b, third = c->red == 0 ? pixels.b : pixels.r;
    const __m128i low12 = _mm_unpacklo_epi8(first, pixels.g), high12 = _mm_unpackhi_epi8(first, pixels.g);
    const __m128i low34 = _mm_unpacklo_epi8(third, fourth), high34 = _mm_unpackhi_epi8(third, fourth);
    store_pixels(out, c->size, _mm_unpacklo_epi16(low12, low34), _mm_unpackhi_epi16(low12, low34),
        _mm_unpacklo_epi16(high12, high34), _mm_unpackhi_epi16(high12, high34));
}

#define INIT kst_jpeg_cpu_colour_decode_sse2
#include "jpeg/cpu/dsp/colour_decode_rows.h"
