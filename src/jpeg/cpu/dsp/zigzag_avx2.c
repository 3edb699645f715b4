/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts the coefficients of a block in memory in zig-zag order with AVX2. */
#include "jpeg/cpu/dsp/zigzag_avx2.h"
#include "jpeg/cpu/dsp/tiers.h"

static uint64_t zigzag(const int16_t *block, int16_t *out)
{
    return reorder_block(load256(block), load256(block + 16), load256(block + 32), load256(block + 48), out);
}

void kst_jpeg_cpu_zigzag_avx2(struct jpeg_dsp *dsp)
{
    dsp->zigzag = zigzag;
}
