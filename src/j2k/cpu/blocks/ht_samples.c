/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes the samples of T.814's blocks in words of 32 bits. */
#define WORD uint32_t
#define WORD_BITS 32
#define SAMPLES sample
#define ABOVE above
#include "j2k/cpu/blocks/ht_refine_template.h"
#include "j2k/cpu/blocks/ht_samples_template.h"

bool kst_j2k_cpu_ht_samples(struct j2k_ht_decoder *decoder, enum cpu_tier tier)
{
#if defined(__x86_64__)
    if (tier >= CPU_AVX512)
        return kst_j2k_cpu_ht_cleanup_avx512(decoder);
    if (tier >= CPU_AVX2)
        return kst_j2k_cpu_ht_cleanup_avx2(decoder);
#elif defined(__aarch64__)
    if (tier == CPU_NEON)
        return kst_j2k_cpu_ht_cleanup_neon(decoder);
#else
    (void)tier;
#endif
    return kst_j2k_cpu_ht_quads(decoder) && take_samples(decoder);
}

void kst_j2k_cpu_ht_refine_samples(struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set, bool causal)
{
    take_refinement(decoder, set, causal);
}
