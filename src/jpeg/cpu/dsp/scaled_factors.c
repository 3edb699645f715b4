/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the factors of the inverse DCTs that make other numbers of samples than 1, 2, 4 and 8. */
#include "jpeg/cpu/dsp/scaled_factors.h"

#include "jpeg/tables/dct_scaled.h"

#define ROW(n) [n] = DCT_SCALED_##n,

const int32_t kst_jpeg_cpu_scaled_factors[JPEG_BLOCK_MAX + 1][8][8] = {FOR_EACH_SCALED_SIZE(ROW)};
