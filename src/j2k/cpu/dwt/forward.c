/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the forward steps for every processor of the architecture: with SSE2 or NEON where they exist. */
#include "j2k/cpu/dwt/forward_rows.h"
#include "j2k/cpu/dwt/forward_tiers.h"

void kst_j2k_cpu_forward_init(struct j2k_forward *forward, enum cpu_tier tier)
{
    *forward = functions;
#if defined(__x86_64__)
    if (tier >= CPU_AVX2)
        kst_j2k_cpu_forward_avx2(forward);
    if (tier >= CPU_AVX512)
        kst_j2k_cpu_forward_avx512(forward);
#else
    (void)tier;
#endif
}
