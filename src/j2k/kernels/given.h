/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the coefficients of code-blocks that the host decoded to their bands. A work-group copies a block. */
#include "j2k/kernels/store.h"

KERNEL(J2K_GIVEN_GROUP)
put_given(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT given, GLOBAL u32 *RESTRICT samples)
{
    GLOBAL const struct j2k_batch_work *head = (GLOBAL const struct j2k_batch_work *)work;
    GLOBAL const struct work_given *block = (GLOBAL const struct work_given *)(work + head->given) + group_index();
    u32 width = block->width, count = width * block->height, from = block->from << block->narrow;
    for (u32 i = local_index(); i < count; i += J2K_GIVEN_GROUP)
        put_sample(samples, block->to + i / width * block->pitch + i % width, block->narrow,
            take_sample(given, from + i, block->narrow));
}
