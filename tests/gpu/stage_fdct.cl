/* SPDX-License-Identifier: BSD-2-Clause */
/* Transform and quantisation of blocks by themselves, for comparison with plain C. */
#include "kernels/portable.h"

#include "jpeg/kernels/encode_code.h"

enum { STAGE_GROUP = 64 };

/* A block a work-item: 16 words of samples and 128 of quantisers to 32 of coefficients and two of their mask. */
KERNEL(STAGE_GROUP) test_block(GLOBAL const u32 *RESTRICT in, GLOBAL const u32 *RESTRICT table, GLOBAL u32 *RESTRICT out)
{
    SHARED u32 values[STAGE_GROUP * BLOCK_WORDS];
    SHARED u32x2 quant[64];
    u32 self = local_index(), nonzero[2];
    GLOBAL const u32 *own = in + (group_index() * STAGE_GROUP + self) * 16;
    GLOBAL u32 *result = out + (group_index() * STAGE_GROUP + self) * 34;
    quant[self] = make_u32x2(table[2 * (group_index() * 64 + self)], table[2 * (group_index() * 64 + self) + 1]);
    for (u32 i = 0; i < 16; i++)
        values[self * BLOCK_WORDS + i] = own[i];
    barrier_local();
    transform_block(values + self * BLOCK_WORDS, quant);
    sort_block(values + self * BLOCK_WORDS, nonzero);
    for (u32 i = 0; i < 32; i++)
        result[i] = values[self * BLOCK_WORDS + i];
    result[32] = nonzero[0];
    result[33] = nonzero[1];
}
