/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the coefficients of code-blocks that the host decoded to their bands. A work-group copies a block. */
#include "j2k/kernels/store.h"

KERNEL(J2K_HOST_BLOCK_GROUP)
put_host_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT coefficients, GLOBAL u32 *RESTRICT samples)
{
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    GLOBAL const struct j2k_work_host_block *block =
        (GLOBAL const struct j2k_work_host_block *)(work + head->host_blocks) + group_index();
    u32 width = block->width, count = width * block->height, from = block->from << block->narrow;
    for (u32 i = local_index(); i < count; i += J2K_HOST_BLOCK_GROUP)
        put_sample(samples, block->to + i / width * block->pitch + i % width, block->narrow,
            take_sample(coefficients, from + i, block->narrow));
}
