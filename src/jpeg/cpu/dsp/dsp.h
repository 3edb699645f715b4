/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the sample arithmetic of JPEG, one function pointer per step: plain C by default, overridden tier by tier.
 * Every tier gives the same bytes as plain C for every input, however extreme.
 *
 * Rows: pointers need no alignment unless stated otherwise. Functions may read up to JPEG_ROW_PADDING bytes past the
 * end of an input row of samples (the library's own buffers are padded), and write as many past the end of an output
 * row of samples. But they read exactly n pixels from, and write exactly n pixels to, the caller's picture.
 */
#ifndef KOSTKA_JPEG_CPU_DSP_DSP_H
#define KOSTKA_JPEG_CPU_DSP_DSP_H

#include "core/cpu.h"
#include "jpeg/plan/output.h"

enum { JPEG_ROW_PADDING = 64 };

/* Holds the data for quantising by a table, made once per table. */
struct jpeg_quantizer {
    _Alignas(64) uint16_t reciprocal[64]; /* in raster order, as below; the tiers share these fields, see quantizer.c */
    _Alignas(64) uint16_t correction[64];
    _Alignas(64) uint16_t scale[64];
    _Alignas(64) uint16_t shift[64];
    _Alignas(64) uint16_t divisor[64]; /* 8 × the quantiser; for the fast DCT another multiple for each coefficient */
    bool small;                        /* a divisor is 1 or 2, for which `scale` has no room: only with the fast DCT */
};

/* Make the data for a table; `quant` is in raster order, 1–65535. */
void kst_jpeg_cpu_quantizer_init(struct jpeg_quantizer *quantizer, const uint16_t quant[64]);

/* Do the same for `fdct_fast`. */
void kst_jpeg_cpu_quantizer_init_fast(struct jpeg_quantizer *quantizer, const uint16_t quant[64]);

struct jpeg_dsp {
    /*
     * Dequantise, inverse DCT, level shift, clamp. Entry [n] gives n×n samples, n being 1 (from the DC coefficient
     * alone) to JPEG_BLOCK_MAX; entry 0 is null. `coefficients`: 64 in raster order, 64-byte aligned. `last`: a zig-zag
     * index after which all coefficients are zero (63 if unknown); this hint never changes the result.
     */
    void (*idct[JPEG_BLOCK_MAX + 1])(
        const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch);
    /* Do the same for 8×8 samples, faster and less exact; see kst_jpeg_fast_multipliers(). */
    void (*idct_fast)(
        const int16_t *coefficients, const uint16_t *multiplier, uint32_t last, uint8_t *out, ptrdiff_t pitch);

    /* Fancy upsampling: n input samples (n ≥ 1) give 2n output samples (h2…) or n output samples (h1v2). */
    void (*upsample_h2v1)(const uint8_t *in, uint8_t *out, uint32_t n);
    void (*upsample_h2v2)(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n);
    void (*upsample_h1v2)(const uint8_t *near, const uint8_t *far, uint8_t *out, uint32_t n, bool lower);
    /* Repeat each sample twice. */
    void (*replicate_h2)(const uint8_t *in, uint8_t *out, uint32_t n);

    /* Convert rows of components to n pixels. `alpha` is used by the layouts that have it. */
    void (*ycc_to_rgb[JPEG_LAYOUT_COUNT])(
        const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *out, uint32_t n, uint8_t alpha);
    void (*rgb_to_rgb[JPEG_LAYOUT_COUNT])(
        const uint8_t *r, const uint8_t *g, const uint8_t *b, uint8_t *out, uint32_t n, uint8_t alpha);
    void (*grey_to_rgb[JPEG_LAYOUT_COUNT])(const uint8_t *grey, uint8_t *out, uint32_t n, uint8_t alpha);
    void (*ycck_to_cmyk)(
        const uint8_t *y, const uint8_t *cb, const uint8_t *cr, const uint8_t *k, uint8_t *out, uint32_t n);
    void (*cmyk_to_cmyk)(
        const uint8_t *c, const uint8_t *m, const uint8_t *y, const uint8_t *k, uint8_t *out, uint32_t n);

    /* Convert n pixels to rows of components. */
    void (*rgb_to_ycc[JPEG_LAYOUT_COUNT])(const uint8_t *in, uint8_t *y, uint8_t *cb, uint8_t *cr, uint32_t n);
    void (*rgb_to_grey[JPEG_LAYOUT_COUNT])(const uint8_t *in, uint8_t *y, uint32_t n);
    void (*rgb_split[JPEG_LAYOUT_COUNT])(const uint8_t *in, uint8_t *r, uint8_t *g, uint8_t *b, uint32_t n);
    void (*cmyk_to_ycck)(const uint8_t *in, uint8_t *y, uint8_t *cb, uint8_t *cr, uint8_t *k, uint32_t n);
    void (*cmyk_split)(const uint8_t *in, uint8_t *c, uint8_t *m, uint8_t *y, uint8_t *k, uint32_t n);

    /*
     * Box downsampling: n output samples from 2n input samples of one row or of each of two rows, with libjpeg's
     * alternating bias.
     */
    void (*downsample_h2v1)(const uint8_t *in, uint8_t *out, uint32_t n);
    void (*downsample_h2v2)(const uint8_t *upper, const uint8_t *lower, uint8_t *out, uint32_t n);

    /*
     * Level shift, forward DCT and quantisation of 8×8 samples. `out`: 64 coefficients in raster order, 64-byte
     * aligned.
     */
    void (*fdct)(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out);
    /* Do the same, faster and less exact, with a quantiser of kst_jpeg_cpu_quantizer_init_fast(). */
    void (*fdct_fast)(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out);

    /*
     * Put a block into zig-zag order. Bit k of the result is set if coefficient k is not 0. `out` has room for 64
     * coefficients and is aligned like `block`.
     */
    uint64_t (*zigzag)(const int16_t *block, int16_t *out);

    /*
     * Do the work of fdct and zigzag, for a block that is needed only in zig-zag order. Null: the tier has nothing
     * faster than these two functions.
     */
    uint64_t (*fdct_zigzag)(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out);
};

/* Fill the table for a tier that this processor has. */
void kst_jpeg_cpu_dsp_init(struct jpeg_dsp *dsp, enum cpu_tier tier);

#endif
