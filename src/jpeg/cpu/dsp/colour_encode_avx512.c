/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts pixels to components with AVX-512, 64 at a time, with the arithmetic of colour_encode_avx2.c. */
#include "jpeg/cpu/dsp/avx512.h"
#include "jpeg/cpu/dsp/colour_rows.h"
#include "jpeg/tables/colour.h"

enum { PIXELS = 64 };

static const _Alignas(64) uint8_t index_of_byte[64] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
    19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* Return a vector whose byte i is size·i + offset. */
INLINE __m512i byte_of_pixel(int size, int offset)
{
    const __m512i i = load512(index_of_byte), doubled = _mm512_add_epi8(i, i);
    return _mm512_add_epi8(
        size == 3 ? _mm512_add_epi8(doubled, i) : _mm512_add_epi8(doubled, doubled), _mm512_set1_epi8((char)offset));
}

/*
 * For each of 16 pixels make a 32-bit element of its bytes a and b, each zero-extended to 16 bits. Element i consists
 * of the bytes from 4i on, its pixel of the bytes from size·i on.
 */
INLINE __m512i pick(__m512i pixels, int size, int a, int b)
{
    const __m512i element = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i order = _mm512_add_epi32(
        _mm512_mullo_epi32(element, _mm512_set1_epi32(size * 0x10001)), _mm512_set1_epi32(a | b << 16));
    return _mm512_maskz_permutexvar_epi8(UINT64_C(0x5555555555555555), order, pixels);
}

/* Return the weighted sum of two pairs and a constant; the upper 16 bits are its integer part. */
INLINE __m512i weigh(__m512i a, int factors_a, __m512i b, int factors_b, int constant)
{
    const __m512i sum = _mm512_dpwssd_epi32(_mm512_set1_epi32(constant), a, _mm512_set1_epi32(factors_a));
    return _mm512_dpwssd_epi32(sum, b, _mm512_set1_epi32(factors_b));
}

struct ycc {
    __m512i y, cb, cr;
};

INLINE struct ycc convert_16(__m512i pixels, int size, int red)
{
    const int blue = 2 - red, half = 1 << 15, chroma = (128 << 16) + (1 << 15) - 1;
    const __m512i rg = pick(pixels, size, red, 1), bg = pick(pixels, size, blue, 1), rb = pick(pixels, size, red, blue);
    return (struct ycc){
        weigh(rg, FACTORS(YCC_Y_RED, YCC_Y_GREEN - 16384), bg, FACTORS(YCC_Y_BLUE, 16384), half),
        weigh(bg, FACTORS(16384, -YCC_CB_GREEN), rb, FACTORS(-YCC_CB_RED, 16384), chroma),
        weigh(rg, FACTORS(16384, -YCC_CR_GREEN), rb, FACTORS(16384, -YCC_CR_BLUE), chroma),
    };
}

/* Combine the upper halves of the elements of a and b; those of a go to even places. */
INLINE __m512i upper_halves(__m512i a, __m512i b)
{
    return _mm512_mask_blend_epi16(0xAAAAAAAA, _mm512_srli_epi32(a, 16), b);
}

/*
 * Selects the sums, in each lane: four of the first and the second vector alternating, then four of the third and the
 * fourth.
 */
static const _Alignas(64) uint8_t order_of_sums[64] = {0, 2, 4, 6, 16, 18, 20, 22, 32, 34, 36, 38, 48, 50, 52, 54, 1, 3,
    5, 7, 17, 19, 21, 23, 33, 35, 37, 39, 49, 51, 53, 55, 8, 10, 12, 14, 24, 26, 28, 30, 40, 42, 44, 46, 56, 58, 60, 62,
    9, 11, 13, 15, 25, 27, 29, 31, 41, 43, 45, 47, 57, 59, 61, 63};

/* Store four vectors of 16 sums each as 64 bytes. */
INLINE void store_sums(uint8_t *out, __m512i a, __m512i b, __m512i c, __m512i d)
{
    const __m512i bytes = _mm512_packus_epi16(upper_halves(a, b), upper_halves(c, d));
    store512(out, reorder(bytes, order_of_sums));
}

struct pixels {
    __m512i a, b, c, d; /* 16 pixels each; with 3 bytes per pixel in the lower 48 bytes */
};

INLINE void weigh_pixels(const struct jpeg_colour_encoding *e, struct pixels p, size_t i)
{
    const struct ycc v = convert_16(p.a, e->size, e->red), w = convert_16(p.b, e->size, e->red);
    const struct ycc x = convert_16(p.c, e->size, e->red), z = convert_16(p.d, e->size, e->red);
    store_sums(e->out[0] + i, v.y, w.y, x.y, z.y);
    if (e->to == TO_YCC) {
        store_sums(e->out[1] + i, v.cb, w.cb, x.cb, z.cb);
        store_sums(e->out[2] + i, v.cr, w.cr, x.cr, z.cr);
    }
}

/* Selects the pixels i whose byte size·i + offset lies in vector v of the row. */
INLINE __mmask64 pixels_in(int v, int size, int offset)
{
    const int first = (64 * v - offset + size - 1) / size, end = (64 * (v + 1) - offset + size - 1) / size;
    return (v == 0 ? UINT64_MAX : UINT64_MAX << first) & (end >= 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1);
}

/* Store component `offset` of 64 pixels. */
INLINE void store_component(uint8_t *out, const uint8_t *in, int size, int offset)
{
    const __m512i order = byte_of_pixel(size, offset);
    __m512i v = _mm512_permutexvar_epi8(order, load512(in));
    v = _mm512_mask_permutexvar_epi8(v, pixels_in(1, size, offset), order, load512(in + 64));
    v = _mm512_mask_permutexvar_epi8(v, pixels_in(2, size, offset), order, load512(in + 128));
    if (size == 4)
        v = _mm512_mask_permutexvar_epi8(v, pixels_in(3, size, offset), order, load512(in + 192));
    store512(out, v);
}

/* Store the components unchanged; with TO_YCC only the fourth. */
INLINE void split(const struct jpeg_colour_encoding *e, const uint8_t *in, size_t i)
{
    if (e->to == SPLIT) {
        store_component(e->out[0] + i, in, e->size, e->red);
        store_component(e->out[1] + i, in, e->size, 1);
        store_component(e->out[2] + i, in, e->size, 2 - e->red);
    }
    if (e->fourth)
        store_component(e->out[3] + i, in, e->size, 3);
}

/* Load 16 pixels. With 3 bytes per pixel, nothing may be read after the last 16 pixels of a row. */
INLINE __m512i load_16(const struct jpeg_colour_encoding *e, const uint8_t *in, bool last)
{
    const bool exact = last && e->size == 3;
    const __m512i pixels = exact ? _mm512_maskz_loadu_epi8(UINT64_MAX >> 16, in) : load512(in);
    return e->invert ? _mm512_xor_si512(pixels, _mm512_set1_epi32(0xFFFFFF)) : pixels;
}

INLINE void convert_pixels(const struct jpeg_colour_encoding *e, const uint8_t *in, size_t i)
{
    const int step = 16 * e->size;
    if (e->to != SPLIT)
        weigh_pixels(e,
            (struct pixels){load_16(e, in, false), load_16(e, in + step, false), load_16(e, in + 2 * step, false),
                load_16(e, in + 3 * step, true)},
            i);
    if (e->to == SPLIT || e->fourth)
        split(e, in, i);
}

#define INIT kst_jpeg_cpu_colour_encode_avx512
#include "jpeg/cpu/dsp/colour_encode_rows.h"
