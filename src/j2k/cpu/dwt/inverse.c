/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the inverse steps for every processor of the architecture: with SSE2 or NEON where they exist. */
#include "j2k/cpu/dwt/inverse_rows.h"
#include "j2k/cpu/dwt/inverse_tiers.h"

void kst_j2k_cpu_inverse_init(struct j2k_inverse *inverse, enum cpu_tier tier)
{
    *inverse = functions;
#if defined(__x86_64__)
    if (tier >= CPU_AVX2)
        kst_j2k_cpu_inverse_avx2(inverse);
    if (tier >= CPU_AVX512)
        kst_j2k_cpu_inverse_avx512(inverse);
#else
    (void)tier;
#endif
}
