/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the factors of the inverse DCTs whose number of samples is no power of two, or 16. */
#ifndef KOSTKA_JPEG_CPU_DSP_SCALED_FACTORS_H
#define KOSTKA_JPEG_CPU_DSP_SCALED_FACTORS_H

#include "jpeg/cpu/dsp/dsp.h"

/* The factor of coefficient k in outputs j and n − 1 − j is at [n][k][j]; all are 0 where there is no such output. */
extern const int32_t kst_jpeg_cpu_scaled_factors[JPEG_BLOCK_MAX + 1][8][8];

/* Calls f(n) for each of these sizes. */
#define FOR_EACH_SCALED_SIZE(f) f(3) f(5) f(6) f(7) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16)

/*
 * Up to this magnitude of dequantised coefficients, sums of a pass over columns fit into 32 bits: the magnitudes of a
 * row's factors sum up to less than 2^17.
 */
enum { SCALED_NARROW = 1 << 14 };

/* Make n rows of 8 values from columns of coefficients of any magnitude; see idct_scaled.c. */
void kst_jpeg_cpu_scaled_columns(uint32_t n, const int16_t *coefficients, const uint16_t *quant, int32_t rows[16][8]);

#endif
