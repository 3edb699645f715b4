/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets the host's threads decode some code-blocks while the device decodes the others. */
#include "j2k/gpu/job.h"

/* Lists that are kept until the blocks are decoded. */
struct lists {
    const struct j2k_plan **plan;
    struct j2k_given_block *block;
};

static bool make_lists(const struct j2k_job *job, struct lists *lists)
{
    const struct j2k_batch *batch = &job->batch;
    uint8_t *host = job->buffer[J2K_HOST_GIVEN].host;
    lists->plan = kst_memory_array(batch->memory, batch->count, sizeof *lists->plan, NULL);
    lists->block = kst_memory_array(batch->memory, batch->given, sizeof *lists->block, NULL);
    for (uint32_t i = 0; lists->plan && i < batch->count; i++)
        lists->plan[i] = batch->items[i].plan;
    for (uint32_t i = 0; lists->block && i < batch->given; i++) {
        const struct j2k_entry *entry = &batch->entry[batch->blocks + i];
        const struct j2k_plan *plan = batch->items[entry->item].plan;
        const struct j2k_tile *tile = j2k_gpu_tile_of(plan, &plan->block[entry->block]);
        lists->block[i] = (struct j2k_given_block){.picture = entry->item,
            .block = entry->block,
            .narrow = j2k_gpu_is_narrow(batch, entry->item, tile),
            .to = host + (size_t)batch->given_at[i] * 4};
    }
    return lists->plan && lists->block;
}

void kst_gpu_j2k_bring_given(struct j2k_job *job, const struct j2k_gpu_order *order)
{
    const struct j2k_batch *batch = &job->batch;
    struct lists lists;
    job->given_status = KST_ERROR_MEMORY;
    if (make_lists(job, &lists)) {
        const struct j2k_given given = {lists.plan, job->given_damage, batch->count, lists.block, batch->given};
        job->given_status = order->decode_given(batch->memory, job->executor->threads, order->tier, &given);
    }
    kst_memory_release(batch->memory, lists.plan);
    kst_memory_release(batch->memory, lists.block);
    if (job->given_status == KST_OK)
        job->executor->gpu->backend->copy(&job->lane->queue, &job->buffer[J2K_GIVEN], 0, &job->buffer[J2K_HOST_GIVEN],
            0, (size_t)batch->given_words * 4);
}
