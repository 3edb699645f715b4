/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the cleanup pass of T.814 for every processor of the architecture, and chooses the tier. */
#include "j2k/cpu/blocks/ht_encode.h"
#include "j2k/cpu/blocks/ht_encode_row.h"

/* This header uses the functions of the one above. */
#include "j2k/cpu/blocks/ht_encode_cleanup.h"

const struct j2k_ht_coding *kst_j2k_cpu_ht_coding(enum cpu_tier tier)
{
#if defined(__x86_64__)
    if (tier >= CPU_AVX2)
        return kst_j2k_cpu_ht_coding_avx2();
#else
    (void)tier;
#endif
    return &coding;
}
