/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the coding passes for every processor of the architecture, and chooses the tier. */
#include "j2k/cpu/blocks/coding_bytes.h"

/* This header uses the functions of the one above. */
#include "j2k/cpu/blocks/coding_passes.h"

const struct j2k_coding_passes *kst_j2k_cpu_coding_passes(enum cpu_tier tier)
{
#if defined(__x86_64__)
    if (tier >= CPU_AVX2)
        return kst_j2k_cpu_coding_passes_avx2();
#else
    (void)tier;
#endif
    return &passes;
}
