/* SPDX-License-Identifier: BSD-2-Clause */
/* Entropy decoding (tier 1) of single code-blocks on the CPU, for a GPU that continues with their coefficients. */
#include "j2k/cpu/given.h"

#include "j2k/cpu/tile.h"
#include "j2k/syntax/geometry.h"

struct giving {
    const struct j2k_given *given;
    struct j2k_decoding *decoding; /* one per picture; workers are kept in the first one */
};

static void decode_block(void *argument, uint32_t index)
{
    const struct giving *g = argument;
    const struct j2k_given_block *given = &g->given->block[index];
    struct j2k_decoding *decoding = &g->decoding[given->picture];
    const struct j2k_block *block = &decoding->plan->block[given->block];
    const struct j2k_rect part = j2k_wanted_part(decoding->plan, block);
    const struct j2k_destination to = {.samples = given->to, .pitch = part.x1 - part.x0, .narrow = given->narrow};
    struct j2k_worker *worker = kst_j2k_goes_on(g->decoding) ? kst_j2k_worker_take(g->decoding, 0) : NULL;
    if (!worker)
        return;
    kst_j2k_decode_block(decoding, worker, block, &to);
    kst_j2k_worker_put(g->decoding, worker);
}

kst_status kst_j2k_cpu_decode_given(
    struct memory *memory, struct pool *pool, enum cpu_tier tier, const struct j2k_given *given)
{
    kst_status status = KST_OK;
    struct giving giving = {given, kst_memory_array(memory, given->pictures, sizeof *giving.decoding, &status)};
    if (!giving.decoding)
        return status;
    for (uint32_t i = 0; i < given->pictures; i++)
        kst_j2k_decoding_begin(&giving.decoding[i], memory, given->plan[i], tier);
    kst_pool_run(pool, given->blocks, decode_block, &giving);
    for (uint32_t i = 0; i < given->pictures; i++) {
        struct j2k_decoding *decoding = &giving.decoding[i];
        given->damage[i] =
            (struct j2k_given_damage){atomic_load(&decoding->damaged), atomic_load(&decoding->damage_offset)};
        status = status ? status : (kst_status)atomic_load(&decoding->status);
        kst_j2k_decoding_end(decoding);
    }
    kst_memory_release(memory, giving.decoding);
    return status;
}
