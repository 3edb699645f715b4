/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the code-blocks that the host's threads decode while the device decodes the others. A block is decoded symbol
 * by symbol, and a processor is ten times as fast at that as a GPU; so a call with few pictures waits for its longest
 * blocks while most of the device is idle. See docs/performance.md.
 */
#include <string.h>

#include "j2k/gpu/batch.h"
#include "j2k/syntax/geometry.h"

enum {
    FEW_PICTURES = 4, /* most pictures; with more of them nothing is idle */
    /*
     * Blocks that a thread decodes while the device decodes one as long as the longest that it keeps. More are possible
     * when all goes well, but then threads that begin late make the device wait.
     */
    BLOCKS_A_THREAD = 8,
    MOST_THREADS = 16, /* the most threads that were measured */
    AT_LEAST = 256,    /* least bytes; the device finishes shorter blocks before threads have begun */
    STEP = 32,         /* bytes per step of the histogram */
    STEPS = 512,
    ALIGNMENT = 16 /* words, so that threads do not write to the same cache line */
};

static uint32_t helpers_of(uint32_t threads)
{
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

uint64_t kst_gpu_j2k_given_most(uint32_t threads, uint64_t coefficients)
{
    uint64_t most = (uint64_t)helpers_of(threads) * BLOCKS_A_THREAD * J2K_BLOCK_SAMPLES;
    return coefficients < most ? coefficients : most;
}

/* Whether a block may be given to threads. Those with flights finish sooner on the device. */
static bool may_be_given(const struct j2k_entry *entry)
{
    return entry->shape >> J2K_SHAPE_FLIGHTS == 0;
}

static const struct j2k_block *block_of(const struct j2k_batch *batch, const struct j2k_entry *entry)
{
    return &batch->items[entry->item].plan->block[entry->block];
}

/*
 * Choose the least number of bytes of blocks that are given away; UINT32_MAX: none are. Where the longest blocks that
 * are kept are almost as long, as when all blocks of a lossless picture are alike, nothing would be gained.
 */
static uint32_t choose_length(const struct j2k_batch *batch, uint32_t threads)
{
    uint64_t sum[STEPS] = {0}, given = 0;
    uint32_t length = UINT32_MAX, longest = 0;
    for (uint32_t i = 0; i < batch->blocks; i++) {
        uint32_t bytes = (uint32_t)block_of(batch, &batch->entry[i])->length, step = bytes / STEP;
        if (!may_be_given(&batch->entry[i]))
            continue;
        sum[step < STEPS ? step : STEPS - 1] += bytes;
        longest = bytes > longest ? bytes : longest;
    }
    for (uint32_t k = STEPS; k-- > AT_LEAST / STEP;) {
        given += sum[k];
        if (given > (uint64_t)helpers_of(threads) * BLOCKS_A_THREAD * k * STEP)
            break;
        length = given > 0 ? k * STEP : UINT32_MAX;
    }
    return length <= longest - longest / 8 ? length : UINT32_MAX;
}

/* Move the entries of blocks of at least `length` bytes behind the others; both keep their order. */
static bool part_entries(struct j2k_batch *batch, uint32_t length)
{
    struct j2k_entry *given = kst_memory_array(batch->memory, batch->blocks, sizeof *given, NULL);
    uint32_t kept = 0, count = 0;
    if (!given)
        return false;
    for (uint32_t i = 0; i < batch->blocks; i++) {
        const struct j2k_entry entry = batch->entry[i];
        if (may_be_given(&entry) && block_of(batch, &entry)->length >= length)
            given[count++] = entry;
        else
            batch->entry[kept++] = entry;
    }
    memcpy(batch->entry + kept, given, count * sizeof *given);
    kst_memory_release(batch->memory, given);
    batch->blocks = kept;
    batch->given = count;
    return true;
}

static bool place_given(struct j2k_batch *batch)
{
    batch->given_at = kst_memory_array(batch->memory, batch->given, sizeof *batch->given_at, NULL);
    for (uint32_t i = 0; batch->given_at && i < batch->given; i++) {
        const struct j2k_entry *entry = &batch->entry[batch->blocks + i];
        const struct j2k_plan *plan = batch->items[entry->item].plan;
        const struct j2k_block *block = block_of(batch, entry);
        uint32_t area = (uint32_t)j2k_gpu_area(j2k_wanted_part(plan, block));
        bool narrow = j2k_gpu_is_narrow(batch, entry->item, j2k_gpu_tile_of(plan, block));
        batch->given_at[i] = batch->given_words;
        batch->given_words += ((narrow ? (area + 1) / 2 : area) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return batch->given_at;
}

bool kst_gpu_j2k_split_blocks(struct j2k_batch *batch, const struct j2k_wish *wish)
{
    uint32_t length = wish->given;
    if (wish->threads > 0 && length == 0 && batch->count <= FEW_PICTURES)
        length = choose_length(batch, wish->threads);
    return length == 0 || length == UINT32_MAX || (part_entries(batch, length) && place_given(batch));
}
