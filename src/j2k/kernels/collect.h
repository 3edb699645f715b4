/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the results of coded blocks: the passes of all blocks, which are downloaded first, and their bytes. */
#include "kernels/group.h"

#include "j2k/kernels/encode_work.h"

/*
 * Collect a block with each work-group. Blocks are placed in the order in which groups run; blocks that found no room
 * are left out.
 */
KERNEL(J2K_COLLECT_GROUP)
collect_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL u32 *RESTRICT results, GLOBAL const u32 *RESTRICT passes,
    GLOBAL const u32 *RESTRICT data, GLOBAL u32 *RESTRICT collected)
{
    SHARED u32 place[2];
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL const struct j2k_work_coded_block *block =
        (GLOBAL const struct j2k_work_coded_block *)(list + head->block) + group_index();
    GLOBAL struct j2k_work_coded_result *result =
        (GLOBAL struct j2k_work_coded_result *)(results + J2K_LIST_HEAD) + group_index();
    u32 has_room = result->length != J2K_NO_ROOM, count = has_room ? J2K_PASS_RESULT * result->passes : 0;
    u32 words = has_room ? (result->length + 3) / 4 : 0;
    if (local_index() == 0) {
        place[0] = result->at = count_up(results + J2K_COLLECTED_PASSES, count);
        place[1] = result->data = count_up(results + J2K_COLLECTED_DATA, words);
    }
    barrier_local();
    GLOBAL u32 *to = collected + place[0];
    passes += group_index() * (head->passes * J2K_PASS_WORDS);
    for (u32 i = local_index(); i < count; i += J2K_COLLECT_GROUP)
        to[i] = passes[i / J2K_PASS_RESULT * J2K_PASS_WORDS + i % J2K_PASS_RESULT];
    to = collected + head->blocks * (head->passes * J2K_PASS_RESULT) + place[1];
    data += (block->data + J2K_DATA_HEAD) / 4;
    for (u32 i = local_index(); i < words; i += J2K_COLLECT_GROUP)
        to[i] = data[i];
}
