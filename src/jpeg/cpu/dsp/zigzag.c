/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts coefficients in zig-zag order, and makes the mask of those that are not 0, in plain C. */
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/plan/frame.h"

static uint64_t zigzag(const int16_t *block, int16_t *out)
{
    uint64_t mask = 0;
    for (int k = 0; k < 64; k++) {
        out[k] = block[kst_jpeg_natural[k]];
        mask |= (uint64_t)(out[k] != 0) << k;
    }
    return mask;
}

void kst_jpeg_cpu_zigzag_c(struct jpeg_dsp *dsp)
{
    dsp->zigzag = zigzag;
}
