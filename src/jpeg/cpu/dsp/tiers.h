/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the functions that fill the table of dsp.h: plain C for each stage, and for each tier the stages that it
 * does faster.
 */
#ifndef KOSTKA_JPEG_CPU_DSP_TIERS_H
#define KOSTKA_JPEG_CPU_DSP_TIERS_H

#include "jpeg/cpu/dsp/dsp.h"

void kst_jpeg_cpu_idct_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_idct_reduced_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_idct_scaled_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_idct_fast_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_upsample_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_decode_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_encode_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_downsample_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_fdct_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_fdct_fast_c(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_zigzag_c(struct jpeg_dsp *dsp);

#if defined(__x86_64__)
void kst_jpeg_cpu_idct_avx2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_idct_scaled_avx2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_upsample_avx2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_decode_avx2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_encode_avx2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_downsample_avx2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_fdct_avx2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_zigzag_avx2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_idct_avx512(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_upsample_avx512(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_fdct_avx512(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_zigzag_avx512(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_decode_avx512(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_encode_avx512(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_idct_sse2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_idct_reduced_sse2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_idct_fast_sse2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_upsample_sse2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_decode_sse2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_encode_sse2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_downsample_sse2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_fdct_sse2(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_fdct_fast_sse2(struct jpeg_dsp *dsp);
#endif

#if defined(__aarch64__)
void kst_jpeg_cpu_idct_neon(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_upsample_neon(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_decode_neon(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_colour_encode_neon(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_downsample_neon(struct jpeg_dsp *dsp);
void kst_jpeg_cpu_fdct_neon(struct jpeg_dsp *dsp);
#endif

#endif
