/* SPDX-License-Identifier: BSD-2-Clause */
/* What came of the code-blocks, brought together so that it is fetched at once: of each its passes, then its bytes. */
#include "group.h"

#include "j2k_encode_work.h"

/* Words that a block takes; those that found no room take none. */
FUNCTION u32 collected_words(GLOBAL const struct coded_result *result)
{
    return result->length == J2K_NO_ROOM ? 0 : J2K_PASS_RESULT * result->passes + (result->length + 3) / 4;
}

/* One group for all blocks. The first word in front of the results: how many words there are. */
KERNEL(J2K_PLACE_GROUP)
place_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL u32 *RESTRICT results)
{
    SHARED u32 scratch[J2K_PLACE_GROUP];
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL struct coded_result *result = (GLOBAL struct coded_result *)(results + J2K_LIST_HEAD);
    u32 before = 0, blocks = head->blocks;
    for (u32 first = 0; first < blocks; first += J2K_PLACE_GROUP) {
        u32 i = first + local_index(), total;
        u32 words = i < blocks ? collected_words(result + i) : 0;
        u32 at = before + group_scan(scratch, J2K_PLACE_GROUP, words, &total);
        if (i < blocks)
            result[i].at = at;
        before += total;
        barrier_local();
    }
    if (local_index() < J2K_LIST_HEAD)
        results[local_index()] = local_index() == 0 ? before : 0;
}

/* A group for each block. */
KERNEL(J2K_COLLECT_GROUP)
collect_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT results, GLOBAL const u32 *RESTRICT passes,
    GLOBAL const u32 *RESTRICT data, GLOBAL u32 *RESTRICT collected)
{
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL const struct coded_block *block = (GLOBAL const struct coded_block *)(list + head->block) + group_index();
    GLOBAL const struct coded_result *result =
        (GLOBAL const struct coded_result *)(results + J2K_LIST_HEAD) + group_index();
    GLOBAL u32 *to = collected + result->at;
    u32 words = collected_words(result), count = J2K_PASS_RESULT * result->passes;
    passes += group_index() * (J2K_CODED_PASSES * J2K_PASS_WORDS);
    data += (block->data + J2K_DATA_HEAD) / 4;
    for (u32 i = local_index(); i < words; i += J2K_COLLECT_GROUP)
        to[i] = i < count ? passes[i / J2K_PASS_RESULT * J2K_PASS_WORDS + i % J2K_PASS_RESULT] : data[i - count];
}
