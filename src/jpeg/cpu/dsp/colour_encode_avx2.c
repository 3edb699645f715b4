/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts pixels to components with AVX2, 32 at a time. The bytes of a pixel are picked directly into pairs of 16-bit
 * elements: (red, green), (blue, green) and (red, blue). Their factors fit 16 bits because the largest, YCC_Y_GREEN and
 * 32768, are split between two pairs.
 */
#include "jpeg/cpu/dsp/avx2.h"
#include "jpeg/cpu/dsp/colour_rows.h"
#include "jpeg/tables/colour.h"

enum { PIXELS = 32 };

/* Load eight pixels, four into each lane. */
INLINE __m256i load_8(const uint8_t *in, int size)
{
    if (size == 4)
        return load256(in);
    /* 3 bytes per pixel: the upper four start at byte 4 of their lane, so that only 24 bytes are read */
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load128(in)), load128(in + 8), 1);
}

/* For each pixel make a 32-bit element of its bytes a and b, each zero-extended to 16 bits. */
INLINE __m256i pick(__m256i pixels, int size, int a, int b)
{
    const int upper = size == 3 ? 4 : 0, s = size, z = -1;
#define PAIR(p, base) (char)((base) + (p)*s + a), (char)z, (char)((base) + (p)*s + b), (char)z
    const __m256i order = _mm256_setr_epi8(
        PAIR(0, 0), PAIR(1, 0), PAIR(2, 0), PAIR(3, 0), PAIR(0, upper), PAIR(1, upper), PAIR(2, upper), PAIR(3, upper));
#undef PAIR
    return _mm256_shuffle_epi8(pixels, order);
}

/* Return the integer part of the weighted sum of two pairs and a constant. */
INLINE __m256i weigh(__m256i a, __m256i factors_a, __m256i b, __m256i factors_b, int constant)
{
    const __m256i sum = _mm256_add_epi32(_mm256_madd_epi16(a, factors_a), _mm256_madd_epi16(b, factors_b));
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(constant)), 16);
}

/* Store 4 vectors of 8 32-bit elements, each at most 255, as 32 bytes in order. */
INLINE void store_32(uint8_t *out, __m256i a, __m256i b, __m256i c, __m256i d)
{
    const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
    store256(out, _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

struct ycc {
    __m256i y, cb, cr;
};

INLINE struct ycc convert_8(__m256i pixels, int size, int red)
{
    const int blue = 2 - red, half = 1 << 15, chroma = (128 << 16) + (1 << 15) - 1;
    const __m256i rg = pick(pixels, size, red, 1), bg = pick(pixels, size, blue, 1), rb = pick(pixels, size, red, blue);
    return (struct ycc){
        weigh(rg, factors(YCC_Y_RED, YCC_Y_GREEN - 16384), bg, factors(YCC_Y_BLUE, 16384), half),
        weigh(bg, factors(16384, -YCC_CB_GREEN), rb, factors(-YCC_CB_RED, 16384), chroma),
        weigh(rg, factors(16384, -YCC_CR_GREEN), rb, factors(16384, -YCC_CR_BLUE), chroma),
    };
}

/* Holds 32 pixels, 8 per vector. */
struct pixels {
    __m256i a, b, c, d;
};

INLINE void convert_32(const struct jpeg_colour_encoding *c, struct pixels p, size_t i)
{
    const struct ycc v = convert_8(p.a, c->size, c->red), w = convert_8(p.b, c->size, c->red);
    const struct ycc x = convert_8(p.c, c->size, c->red), z = convert_8(p.d, c->size, c->red);
    store_32(c->out[0] + i, v.y, w.y, x.y, z.y);
    if (c->to == TO_YCC) {
        store_32(c->out[1] + i, v.cb, w.cb, x.cb, z.cb);
        store_32(c->out[2] + i, v.cr, w.cr, x.cr, z.cr);
    }
}

/* Transpose the 4×4 bytes of each lane. */
INLINE __m256i gather_components(__m256i pixels, int size)
{
    const int upper = size == 3 ? 4 : 0, s = size;
#define COMPONENT(c, base)                                                                                             \
    (char)((base) + (c)), (char)((base) + s + (c)), (char)((base) + 2 * s + (c)), (char)((base) + 3 * s + (c))
    const __m256i order = size == 3
                              ? _mm256_setr_epi8(COMPONENT(0, 0), COMPONENT(1, 0), COMPONENT(2, 0), -1, -1, -1, -1,
                                    COMPONENT(0, upper), COMPONENT(1, upper), COMPONENT(2, upper), -1, -1, -1, -1)
                              : _mm256_setr_epi8(COMPONENT(0, 0), COMPONENT(1, 0), COMPONENT(2, 0), COMPONENT(3, 0),
                                    COMPONENT(0, 0), COMPONENT(1, 0), COMPONENT(2, 0), COMPONENT(3, 0));
#undef COMPONENT
    return _mm256_shuffle_epi8(pixels, order);
}

INLINE void store_component(uint8_t *out, __m256i a, __m256i b, bool upper)
{
    const __m256i v = upper ? _mm256_unpackhi_epi64(a, b) : _mm256_unpacklo_epi64(a, b);
    store256(out, _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

/* Store the components unchanged; with TO_YCC only the fourth. */
INLINE void split_32(const struct jpeg_colour_encoding *c, struct pixels p, size_t i)
{
    const __m256i v = gather_components(p.a, c->size), w = gather_components(p.b, c->size);
    const __m256i x = gather_components(p.c, c->size), z = gather_components(p.d, c->size);
    const __m256i low01 = _mm256_unpacklo_epi32(v, w), low23 = _mm256_unpacklo_epi32(x, z);
    const __m256i high01 = _mm256_unpackhi_epi32(v, w), high23 = _mm256_unpackhi_epi32(x, z);
    if (c->to == SPLIT) {
        store_component(c->out[c->red] + i, low01, low23, false);
        store_component(c->out[1] + i, low01, low23, true);
        store_component(c->out[2 - c->red] + i, high01, high23, false);
    }
    if (c->fourth)
        store_component(c->out[3] + i, high01, high23, true);
}

INLINE __m256i load_pixels(const struct jpeg_colour_encoding *c, const uint8_t *in)
{
    const __m256i pixels = load_8(in, c->size);
    return c->invert ? _mm256_xor_si256(pixels, _mm256_set1_epi32(0xFFFFFF)) : pixels;
}

INLINE void convert_pixels(const struct jpeg_colour_encoding *c, const uint8_t *in, size_t i)
{
    const int step = 8 * c->size;
    const struct pixels p = {
        load_pixels(c, in), load_pixels(c, in + step), load_pixels(c, in + 2 * step), load_pixels(c, in + 3 * step)};
    if (c->to != SPLIT)
        convert_32(c, p, i);
    if (c->to == SPLIT || c->fourth)
        split_32(c, p, i);
}

#define INIT kst_jpeg_cpu_colour_encode_avx2
#include "jpeg/cpu/dsp/colour_encode_rows.h"
