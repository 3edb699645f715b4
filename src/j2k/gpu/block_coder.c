/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the block coders that devices have. */
#include "j2k/gpu/block_coder.h"

#include "j2k/gpu/part.h"

static const struct j2k_gpu_block_coder *const coders[J2K_BLOCK_CODERS] = {
    [J2K_EBCOT] = &kst_j2k_gpu_ebcot, [J2K_HT] = &kst_j2k_gpu_ht};

const struct j2k_gpu_block_coder *kst_j2k_gpu_block_coder(uint32_t style)
{
    return coders[kst_j2k_block_coder(style)->kind];
}

const struct j2k_gpu_block_coder *kst_j2k_gpu_coder_of(const struct j2k_block *block)
{
    return coders[block->coder];
}

bool kst_j2k_gpu_can_decode(const struct j2k_plan *plan, struct j2k_gpu_block_words *words)
{
    *words = (struct j2k_gpu_block_words){0, 0};
    for (uint32_t i = 0, end = 0; i < plan->block_count; i = end) {
        const struct j2k_block *first = &plan->block[i];
        while (end < plan->block_count && plan->block[end].coder == first->coder)
            end++;
        if (!coders[first->coder]->add_words(plan, first, end - i, words))
            return false;
    }
    return true;
}

void kst_j2k_gpu_decode_all(struct j2k_gpu_job *job)
{
    for (uint32_t i = 0; i < J2K_BLOCK_CODERS; i++)
        coders[i]->decode(job);
}
