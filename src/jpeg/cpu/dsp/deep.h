/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the sample arithmetic of deep pictures, whose samples have 12 bits, in plain C: what struct jpeg_dsp has for
 * 8 bits, with the results of libjpeg-turbo 3.
 */
#ifndef KOSTKA_JPEG_CPU_DSP_DEEP_H
#define KOSTKA_JPEG_CPU_DSP_DEEP_H

#include "jpeg/plan/output.h"

enum { DEEP_CENTRE = 1 << (JPEG_DEEP - 1), DEEP_MAX = (1 << JPEG_DEEP) - 1 };

static inline uint16_t jpeg_deep_clamp(int32_t value)
{
    return (uint16_t)(value < 0 ? 0 : value > DEEP_MAX ? DEEP_MAX : value);
}

/*
 * Dequantise, inverse DCT, level shift, clamp: n×n samples, n being 1 to JPEG_BLOCK_MAX, of 64 coefficients in raster
 * order. `pitch` is in samples.
 */
void kst_jpeg_cpu_deep_idct(
    uint32_t n, const int16_t *coefficients, const uint16_t *quant, uint16_t *out, size_t pitch);

/* Fancy upsampling: n input samples (n ≥ 1) give 2n output samples (h2…) or n output samples (h1v2). */
void kst_jpeg_cpu_deep_upsample_h2v1(const uint16_t *in, uint16_t *out, uint32_t n);
void kst_jpeg_cpu_deep_upsample_h2v2(const uint16_t *near, const uint16_t *far, uint16_t *out, uint32_t n);
void kst_jpeg_cpu_deep_upsample_h1v2(const uint16_t *near, const uint16_t *far, uint16_t *out, uint32_t n, bool lower);

/*
 * Make `width` samples by repeating those of `in`, with the members of `scaled`: out[x] = in[(from + x · h_in) /
 * h_out], or the last of the `count` samples if the index is higher.
 */
void kst_jpeg_cpu_deep_replicate(
    const struct jpeg_scaled *scaled, uint64_t from, const uint16_t *in, uint16_t *out, uint32_t width);

/*
 * Convert a line of each component, from the region's first pixel on, to row `row` of the output's picture. `spare` has
 * room for as many samples of each channel. The conversion is not RAW.
 */
void kst_jpeg_cpu_deep_convert(const struct jpeg_output *output, uint32_t row,
    const uint16_t *const line[JPEG_COMPONENTS], uint16_t *const spare[JPEG_COMPONENTS]);

/*
 * Convert n pixels of R, G and B to luminance, or to YCbCr. With `ink` the pixels are C, M and Y, and R, G and B are
 * what these leave of the full range.
 */
void kst_jpeg_cpu_deep_rgb_to_grey(const uint16_t *const in[3], uint16_t *out, uint32_t n);
void kst_jpeg_cpu_deep_rgb_to_ycc(const uint16_t *const in[3], uint16_t *const out[3], uint32_t n, bool ink);

/* Make n samples, each the mean of a box of samples, of rows that are `pitch` samples apart. */
void kst_jpeg_cpu_deep_downsample(
    const uint16_t *in, size_t pitch, uint32_t box_w, uint32_t box_h, uint16_t *out, uint32_t n);

/* Level shift, forward DCT and quantisation of 8×8 samples to coefficients in raster order. `quant`: 1–65535. */
void kst_jpeg_cpu_deep_fdct(const uint16_t *in, size_t pitch, const uint16_t quant[64], int16_t *out);

#endif
