/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts the coefficients of a block in memory in zig-zag order with AVX-512. */
#include "jpeg/cpu/dsp/zigzag_avx512.h"
#include "jpeg/cpu/dsp/tiers.h"

static uint64_t zigzag(const int16_t *block, int16_t *out)
{
    return reorder_block(load512(block), load512(block + 32), out);
}

void kst_jpeg_cpu_zigzag_avx512(struct jpeg_dsp *dsp)
{
    dsp->zigzag = zigzag;
}
