/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the 8×8 inverse DCT of a block with no coefficient other than DC: 64 equal samples. */
#ifndef KOSTKA_JPEG_CPU_DSP_IDCT_DC_H
#define KOSTKA_JPEG_CPU_DSP_IDCT_DC_H

#include <stddef.h>
#include <string.h>

#include "jpeg/cpu/dsp/arithmetic.h"
#include "jpeg/tables/dct.h"

static inline void idct_dc(int16_t coefficient, uint16_t quant, uint8_t *out, ptrdiff_t pitch)
{
    const int32_t column = saturate16(dequantise(coefficient, quant) * (1 << DCT_PASS_BITS));
    const uint8_t sample = descale_sample((uint32_t)column, DCT_PASS_BITS + 3);
    const uint64_t row = sample * UINT64_C(0x0101010101010101);
    for (int y = 0; y < 8; y++)
        memcpy(out + y * pitch, &row, 8);
}

#endif
