/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the block coders that the CPU has. */
#include "j2k/cpu/blocks/block_coder.h"

static const struct j2k_block_functions *const coders[J2K_BLOCK_CODERS] = {
    [J2K_EBCOT] = &kst_j2k_ebcot, [J2K_HT] = &kst_j2k_ht};

const struct j2k_block_functions *kst_j2k_block_functions(enum j2k_block_coder_kind kind)
{
    return coders[kind];
}

size_t kst_j2k_decoder_length(void)
{
    size_t most = 0;
    for (uint32_t i = 0; i < J2K_BLOCK_CODERS; i++)
        most = coders[i]->decoder_length > most ? coders[i]->decoder_length : most;
    return most;
}

size_t kst_j2k_encoder_length(void)
{
    size_t most = 0;
    for (uint32_t i = 0; i < J2K_BLOCK_CODERS; i++)
        most = coders[i]->encoder_length > most ? coders[i]->encoder_length : most;
    return most;
}
