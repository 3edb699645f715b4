/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes the samples of T.814's blocks in words of 64 bits. */
#define WORD uint64_t
#define WORD_BITS 64
#define SAMPLES deep
#define ABOVE deep_above
#include "j2k/cpu/blocks/ht_refine_template.h"
#include "j2k/cpu/blocks/ht_samples_template.h"

bool kst_j2k_cpu_ht_deep(struct j2k_ht_decoder *decoder)
{
    return kst_j2k_cpu_ht_quads(decoder) && take_samples(decoder);
}

void kst_j2k_cpu_ht_refine_deep(struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set, bool causal)
{
    take_refinement(decoder, set, causal);
}
