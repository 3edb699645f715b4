/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the block coders that devices have: none of T.814 yet. */
#include "j2k/gpu/block_coder.h"

static const struct j2k_gpu_block_coder *const coders[J2K_BLOCK_CODERS] = {[J2K_EBCOT] = &kst_j2k_gpu_ebcot};

const struct j2k_gpu_block_coder *kst_j2k_gpu_block_coder(uint32_t style)
{
    return coders[kst_j2k_block_coder(style)->kind];
}

const struct j2k_gpu_block_coder *kst_j2k_gpu_coder_of(const struct j2k_plan *plan, const struct j2k_block *block)
{
    return kst_j2k_gpu_block_coder(plan->tile_component[plan->band[block->band].tile_component].style);
}

bool kst_j2k_gpu_has_coders(const struct j2k_plan *plan)
{
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        if (!kst_j2k_gpu_block_coder(plan->tile_component[i].style))
            return false;
    return true;
}

void kst_j2k_gpu_decode_all(struct j2k_gpu_job *job)
{
    for (uint32_t i = 0; i < J2K_BLOCK_CODERS; i++)
        if (coders[i])
            coders[i]->decode(job);
}
