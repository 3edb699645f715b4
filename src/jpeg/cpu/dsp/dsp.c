/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills the table of dsp.h with the fastest functions for the tier. */
#include "jpeg/cpu/dsp/tiers.h"

static void init_c(struct jpeg_dsp *dsp)
{
    kst_jpeg_cpu_idct_c(dsp);
    kst_jpeg_cpu_idct_reduced_c(dsp);
    kst_jpeg_cpu_idct_scaled_c(dsp);
    kst_jpeg_cpu_idct_fast_c(dsp);
    kst_jpeg_cpu_upsample_c(dsp);
    kst_jpeg_cpu_colour_decode_c(dsp);
    kst_jpeg_cpu_colour_encode_c(dsp);
    kst_jpeg_cpu_downsample_c(dsp);
    kst_jpeg_cpu_fdct_c(dsp);
    kst_jpeg_cpu_fdct_fast_c(dsp);
    kst_jpeg_cpu_zigzag_c(dsp);
}

#if defined(__x86_64__)
static void init_sse2(struct jpeg_dsp *dsp)
{
    kst_jpeg_cpu_idct_sse2(dsp);
    kst_jpeg_cpu_idct_reduced_sse2(dsp);
    kst_jpeg_cpu_idct_fast_sse2(dsp);
    kst_jpeg_cpu_upsample_sse2(dsp);
    kst_jpeg_cpu_colour_decode_sse2(dsp);
    kst_jpeg_cpu_colour_encode_sse2(dsp);
    kst_jpeg_cpu_downsample_sse2(dsp);
    kst_jpeg_cpu_fdct_sse2(dsp);
    kst_jpeg_cpu_fdct_fast_sse2(dsp);
}

static void init_avx2(struct jpeg_dsp *dsp)
{
    kst_jpeg_cpu_idct_avx2(dsp);
    kst_jpeg_cpu_idct_scaled_avx2(dsp);
    kst_jpeg_cpu_upsample_avx2(dsp);
    kst_jpeg_cpu_colour_decode_avx2(dsp);
    kst_jpeg_cpu_zigzag_avx2(dsp);
    kst_jpeg_cpu_fdct_avx2(dsp);
    kst_jpeg_cpu_downsample_avx2(dsp);
    kst_jpeg_cpu_colour_encode_avx2(dsp);
}

static void init_avx512(struct jpeg_dsp *dsp)
{
    kst_jpeg_cpu_idct_avx512(dsp);
    kst_jpeg_cpu_upsample_avx512(dsp);
    kst_jpeg_cpu_colour_decode_avx512(dsp);
    kst_jpeg_cpu_colour_encode_avx512(dsp);
    kst_jpeg_cpu_fdct_avx512(dsp);
    kst_jpeg_cpu_zigzag_avx512(dsp);
}

/* Each tier overrides the functions that it does better than the tiers below it. */
static void init_tiers(struct jpeg_dsp *dsp, enum cpu_tier tier)
{
    if (tier >= CPU_SSE2)
        init_sse2(dsp);
    if (tier >= CPU_AVX2)
        init_avx2(dsp);
    if (tier >= CPU_AVX512)
        init_avx512(dsp);
}
#elif defined(__aarch64__)
static void init_tiers(struct jpeg_dsp *dsp, enum cpu_tier tier)
{
    if (tier != CPU_NEON)
        return;
    kst_jpeg_cpu_idct_neon(dsp);
    kst_jpeg_cpu_upsample_neon(dsp);
    kst_jpeg_cpu_colour_decode_neon(dsp);
    kst_jpeg_cpu_colour_encode_neon(dsp);
    kst_jpeg_cpu_downsample_neon(dsp);
    kst_jpeg_cpu_fdct_neon(dsp);
}
#else
static void init_tiers(struct jpeg_dsp *dsp, enum cpu_tier tier)
{
    (void)dsp;
    (void)tier;
}
#endif

void kst_jpeg_cpu_dsp_init(struct jpeg_dsp *dsp, enum cpu_tier tier)
{
    init_c(dsp);
    init_tiers(dsp, tier);
}
