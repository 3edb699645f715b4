/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/jpeg_tiers.h"

static void init_c(struct jpeg_dsp *dsp)
{
    kst_jpeg_idct_c(dsp);
    kst_jpeg_idct_reduced_c(dsp);
    kst_jpeg_upsample_c(dsp);
    kst_jpeg_colour_decode_c(dsp);
    kst_jpeg_colour_encode_c(dsp);
    kst_jpeg_downsample_c(dsp);
    kst_jpeg_fdct_c(dsp);
    kst_jpeg_zigzag_c(dsp);
}

void kst_jpeg_dsp_init(struct jpeg_dsp *dsp, enum cpu_tier tier)
{
    init_c(dsp);
    (void)tier;
}
