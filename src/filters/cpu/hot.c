/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the loops of filters in plain C, and chooses the loops of a tier. */
#define TIER(name) name##_c
#include "filters/cpu/hot_template.h"

#if defined(__x86_64__)
extern const struct filter_hot kst_filter_hot_avx2;
#endif

const struct filter_hot *kst_filter_hot(enum cpu_tier tier)
{
#if defined(__x86_64__)
    if (tier == CPU_AVX2 || tier == CPU_AVX512)
        return &kst_filter_hot_avx2;
#endif
    (void)tier;
    return &kst_filter_hot_c;
}
