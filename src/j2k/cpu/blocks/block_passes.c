/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the MQ-coded decoding passes for every processor of the architecture, and chooses the tier. */
#include "j2k/cpu/blocks/block_passes.h"

const struct j2k_block_passes *kst_j2k_cpu_block_passes(enum cpu_tier tier)
{
#if defined(__x86_64__)
    if (tier >= CPU_AVX2)
        return kst_j2k_cpu_block_passes_avx2();
#else
    (void)tier;
#endif
    return &passes;
}
