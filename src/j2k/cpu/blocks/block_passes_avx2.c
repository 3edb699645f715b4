/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the MQ-coded decoding passes for AVX2. */
#include "j2k/cpu/blocks/block_passes.h"

const struct j2k_block_passes *kst_j2k_cpu_block_passes_avx2(void)
{
    return &passes;
}
