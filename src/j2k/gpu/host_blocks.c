/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets the host's threads decode some code-blocks while the device decodes the others. */
#include "j2k/gpu/job.h"

/* Holds lists that are kept until the blocks are decoded. */
struct lists {
    const struct j2k_plan **plan;
    struct j2k_host_block *block;
};

static bool make_lists(const struct j2k_gpu_job *job, struct lists *lists)
{
    const struct j2k_gpu_part *part = &job->part;
    uint8_t *host = job->buffer[J2K_HOST_COEFFICIENTS].host;
    lists->plan = kst_memory_array(part->memory, part->count, sizeof *lists->plan, NULL);
    lists->block = kst_memory_array(part->memory, part->host_blocks, sizeof *lists->block, NULL);
    for (uint32_t i = 0; lists->plan && i < part->count; i++)
        lists->plan[i] = part->items[i].plan;
    for (uint32_t i = 0; lists->block && i < part->host_blocks; i++) {
        const struct j2k_gpu_entry *entry = &part->entry[part->blocks + i];
        const struct j2k_plan *plan = part->items[entry->item].plan;
        const struct j2k_tile *tile = j2k_gpu_tile_of(plan, &plan->block[entry->block]);
        lists->block[i] = (struct j2k_host_block){.picture = entry->item,
            .block = entry->block,
            .narrow = j2k_gpu_is_narrow(part, entry->item, tile),
            .to = host + (size_t)part->host_at[i] * 4};
    }
    return lists->plan && lists->block;
}

void kst_j2k_gpu_bring_host_blocks(struct j2k_gpu_job *job, const struct j2k_gpu_order *order)
{
    const struct j2k_gpu_part *part = &job->part;
    struct lists lists;
    job->host_status = KST_ERROR_MEMORY;
    if (make_lists(job, &lists)) {
        const struct j2k_host_blocks blocks = {
            lists.plan, job->host_damage, part->count, lists.block, part->host_blocks};
        job->host_status = order->decode_host_blocks(part->memory, job->runtime->threads, order->tier, &blocks);
    }
    kst_memory_release(part->memory, lists.plan);
    kst_memory_release(part->memory, lists.block);
    if (!job->host_status)
        job->runtime->gpu->backend->copy(&job->track->queue, &job->buffer[J2K_COEFFICIENTS], 0,
            &job->buffer[J2K_HOST_COEFFICIENTS], 0, (size_t)part->host_words * 4);
}
