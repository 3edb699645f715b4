/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts pixels to components with SSE2, 16 at a time, with the pairs and factors of colour_encode_avx2.c. */
#include <string.h>

#include "jpeg/cpu/dsp/colour_rows.h"
#include "jpeg/cpu/dsp/sse2.h"
#include "jpeg/tables/colour.h"

enum { PIXELS = 16 };

/*
 * Load four pixels, one per 32-bit element; with 3 bytes per pixel the fourth byte is arbitrary. Nothing after the last
 * pixel is read.
 */
INLINE __m128i load_4(const uint8_t *in, int size)
{
    if (size == 4)
        return load128(in);
    uint32_t p[4];
    memcpy(&p[0], in, 4);
    memcpy(&p[1], in + 3, 4);
    memcpy(&p[2], in + 6, 4);
    memcpy(&p[3], in + 8, 4);
    return _mm_setr_epi32((int)p[0], (int)p[1], (int)p[2], (int)(p[3] >> 8));
}

/* Return the integer part of the weighted sum of two pairs and a constant. */
INLINE __m128i weigh(__m128i a, __m128i factors_a, __m128i b, __m128i factors_b, int constant)
{
    return _mm_srli_epi32(_mm_add_epi32(sum_of_products(a, factors_a, b, factors_b), _mm_set1_epi32(constant)), 16);
}

struct ycc {
    __m128i y, cb, cr;
};

INLINE struct ycc convert_4(__m128i pixels, int red)
{
    const int half = 1 << 15, chroma = (128 << 16) + (1 << 15) - 1;
    const __m128i byte = _mm_set1_epi32(0xFF),
                  green = _mm_and_si128(_mm_slli_epi32(pixels, 8), _mm_set1_epi32(0xFF0000));
    const __m128i first = _mm_and_si128(pixels, byte), third = _mm_and_si128(_mm_srli_epi32(pixels, 16), byte);
    const __m128i r = red == 0 ? first : third, b = red == 0 ? third : first;
    const __m128i rg = _mm_or_si128(r, green), bg = _mm_or_si128(b, green), rb = _mm_or_si128(r, _mm_slli_epi32(b, 16));
    return (struct ycc){
        weigh(rg, factors(YCC_Y_RED, YCC_Y_GREEN - 16384), bg, factors(YCC_Y_BLUE, 16384), half),
        weigh(bg, factors(16384, -YCC_CB_GREEN), rb, factors(-YCC_CB_RED, 16384), chroma),
        weigh(rg, factors(16384, -YCC_CR_GREEN), rb, factors(16384, -YCC_CR_BLUE), chroma),
    };
}

/* Extract byte `index` of each element. */
INLINE __m128i component(__m128i pixels, int index)
{
    return _mm_and_si128(_mm_srli_epi32(pixels, 8 * index), _mm_set1_epi32(0xFF));
}

/* Store 16 values of at most 255. */
INLINE void store_16(uint8_t *out, __m128i a, __m128i b, __m128i c, __m128i d)
{
    store128(out, _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
}

struct pixels {
    __m128i a, b, c, d;
};

INLINE void store_component(uint8_t *out, struct pixels p, int index)
{
    store_16(out, component(p.a, index), component(p.b, index), component(p.c, index), component(p.d, index));
}

INLINE void weigh_pixels(const struct jpeg_colour_encoding *e, struct pixels p, size_t i)
{
    const struct ycc v = convert_4(p.a, e->red), w = convert_4(p.b, e->red);
    const struct ycc x = convert_4(p.c, e->red), z = convert_4(p.d, e->red);
    store_16(e->out[0] + i, v.y, w.y, x.y, z.y);
    if (e->to == TO_YCC) {
        store_16(e->out[1] + i, v.cb, w.cb, x.cb, z.cb);
        store_16(e->out[2] + i, v.cr, w.cr, x.cr, z.cr);
    }
}

INLINE __m128i load_pixels(const struct jpeg_colour_encoding *e, const uint8_t *in)
{
    const __m128i pixels = load_4(in, e->size);
    return e->invert ? _mm_xor_si128(pixels, _mm_set1_epi32(0xFFFFFF)) : pixels;
}

INLINE void convert_pixels(const struct jpeg_colour_encoding *e, const uint8_t *in, size_t i)
{
    const int step = 4 * e->size;
    const struct pixels p = {
        load_pixels(e, in), load_pixels(e, in + step), load_pixels(e, in + 2 * step), load_pixels(e, in + 3 * step)};
    if (e->to != SPLIT) {
        weigh_pixels(e, p, i);
    } else {
        store_component(e->out[0] + i, p, e->red);
        store_component(e->out[1] + i, p, 1);
        store_component(e->out[2] + i, p, 2 - e->red);
    }
    if (e->fourth)
        store_component(e->out[3] + i, p, 3);
}

#define INIT kst_jpeg_cpu_colour_encode_sse2
#include "jpeg/cpu/dsp/colour_encode_rows.h"
