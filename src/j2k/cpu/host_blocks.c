/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes single code-blocks (tier 1) on the CPU, for a GPU that continues with their coefficients. */
#include "j2k/cpu/host_blocks.h"

#include "j2k/cpu/tile.h"
#include "j2k/syntax/geometry.h"

struct host_decoding {
    const struct j2k_host_blocks *blocks;
    struct j2k_decoding *decoding; /* one per picture; workers are kept in the first one */
};

static void decode_block(void *argument, uint32_t index)
{
    const struct host_decoding *g = argument;
    const struct j2k_host_block *wanted = &g->blocks->block[index];
    struct j2k_decoding *decoding = &g->decoding[wanted->picture];
    const struct j2k_block *block = &decoding->plan->block[wanted->block];
    const struct j2k_rect part = j2k_wanted_part(decoding->plan, block);
    const struct j2k_destination to = {.x0 = part.x0,
        .x1 = part.x1,
        .samples = wanted->to,
        .pitch = part.x1 - part.x0,
        .narrow = wanted->narrow,
        .rows = part.y1 - part.y0};
    struct j2k_worker *worker = kst_j2k_cpu_goes_on(g->decoding) ? kst_j2k_cpu_worker_take(g->decoding, 0) : NULL;
    if (!worker)
        return;
    kst_j2k_cpu_decode_block(decoding, worker, block, &to, 1);
    kst_j2k_cpu_worker_put(g->decoding, worker);
}

kst_status kst_j2k_cpu_decode_host_blocks(
    struct memory *memory, struct pool *pool, enum cpu_tier tier, const struct j2k_host_blocks *blocks)
{
    kst_status status = KST_OK;
    struct host_decoding all = {blocks, kst_memory_array(memory, blocks->pictures, sizeof *all.decoding, &status)};
    if (!all.decoding)
        return status;
    for (uint32_t i = 0; i < blocks->pictures; i++)
        kst_j2k_cpu_decoding_begin(&all.decoding[i], memory, blocks->plan[i], tier);
    for (uint32_t i = 1; i < blocks->pictures; i++) /* its workers decode the blocks of all pictures */
        if (all.decoding[i].scratch_length > all.decoding->scratch_length)
            all.decoding->scratch_length = all.decoding[i].scratch_length;
    kst_pool_run(pool, blocks->blocks, decode_block, &all);
    for (uint32_t i = 0; i < blocks->pictures; i++) {
        struct j2k_decoding *decoding = &all.decoding[i];
        blocks->damage[i] =
            (struct j2k_host_damage){atomic_load(&decoding->damaged), atomic_load(&decoding->damage_offset)};
        status = status ? status : (kst_status)atomic_load(&decoding->status);
        kst_j2k_cpu_decoding_end(decoding);
    }
    kst_memory_release(memory, all.decoding);
    return status;
}
