/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the block coders that the CPU has. */
#include "j2k/cpu/blocks/block_coder.h"

static const struct j2k_block_functions *const coders[J2K_BLOCK_CODERS] = {
    [J2K_EBCOT] = &kst_j2k_cpu_ebcot, [J2K_HT] = &kst_j2k_cpu_ht};

const struct j2k_block_functions *kst_j2k_cpu_block_functions(enum j2k_block_coder_kind kind)
{
    return coders[kind];
}

/* A style that mixes code-blocks has some of EBCOT among them. */
static size_t length_for(uint32_t style)
{
    size_t own = coders[kst_j2k_block_coder(style)->kind]->decoder_length;
    size_t other = (style & J2K_STYLE_MIXED) != 0 ? coders[J2K_EBCOT]->decoder_length : 0;
    return own > other ? own : other;
}

size_t kst_j2k_cpu_decoder_length(const struct j2k_plan *plan)
{
    size_t most = sizeof(struct j2k_block_scratch);
    for (uint32_t i = 0; i < plan->tile_component_count; i++) {
        size_t length = length_for(plan->tile_component[i].style);
        most = length > most ? length : most;
    }
    return most;
}

size_t kst_j2k_cpu_any_decoder_length(void)
{
    size_t most = 0;
    for (uint32_t i = 0; i < J2K_BLOCK_CODERS; i++)
        most = coders[i]->decoder_length > most ? coders[i]->decoder_length : most;
    return most;
}

size_t kst_j2k_cpu_encoder_length(void)
{
    size_t most = 0;
    for (uint32_t i = 0; i < J2K_BLOCK_CODERS; i++)
        most = coders[i]->encoder_length > most ? coders[i]->encoder_length : most;
    return most;
}
