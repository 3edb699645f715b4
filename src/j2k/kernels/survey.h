/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures what the planes of code-blocks would gain. The encoder does so for a sample of the blocks, from which it
 * predicts how many passes of all blocks are worth coding.
 */
#include "j2k/kernels/runs.h"

/*
 * Measure a block with each work-group. `found` receives a struct j2k_work_measured_block for each block, in which only
 * planes that exist are set.
 */
KERNEL(J2K_MODEL_GROUP)
measure_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT samples, GLOBAL u32 *RESTRICT found)
{
    SHARED u32 gains[J2K_CODED_PLANES * J2K_GAIN_WORDS];
    SHARED u32 plane_words[J2K_CODED_PLANES * J2K_MODEL_GROUP];
    SHARED u32 wide[WIDE_PIECES];
    SHARED u32 any[1];
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL const struct j2k_work_coded_block *block =
        (GLOBAL const struct j2k_work_coded_block *)(list + head->block) + group_index();
    GLOBAL struct j2k_work_measured_block *to = (GLOBAL struct j2k_work_measured_block *)found + group_index();
    u32 self = local_index(), word[RUN_SAMPLES];
    for (u32 i = self; i < J2K_CODED_PLANES * J2K_GAIN_WORDS; i += J2K_MODEL_GROUP)
        gains[i] = 0;
    if (self < WIDE_PIECES)
        wide[self] = 0;
    if (self == 0)
        any[0] = 0;
    barrier_local();
    struct run r = find_run(block); /* not before the barrier: PoCL 5.0 may then share the run among the group */
    u64 error = load_planes(&r, block, samples, word, &any[0]);
    UNROLL for (u32 plane = 0; plane < J2K_CODED_PLANES; plane++) plane_words[plane * J2K_MODEL_GROUP + self] =
        word[plane];
    if (block->measured & J2K_MEASURED_ERRORS)
        add_up_wide(wide, error);
    barrier_local();
    u32 planes = 32 - leading_zeros(any[0]);
    measure_planes(plane_words + self, planes, block->exact, gains);
    barrier_local();
    for (u32 i = self; i < planes * J2K_GAIN_WORDS; i += J2K_MODEL_GROUP)
        to->gains[i] = gains[i];
    if (self == 0) {
        error = wide_sum(wide);
        to->planes = planes;
        to->error_low = (u32)error;
        to->error_high = (u32)(error >> 32);
    }
}
