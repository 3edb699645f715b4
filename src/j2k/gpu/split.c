/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the code-blocks that the host's threads decode while the device decodes the others. A block is decoded symbol
 * by symbol, and a processor is ten times as fast at that as a GPU; so a call with few pictures waits for its longest
 * blocks while most of the device is idle. See docs/performance/jpeg2000-gpu.md.
 */
#include <string.h>

#include "j2k/gpu/part.h"
#include "j2k/syntax/geometry.h"

enum {
    FEW_PICTURES = 4, /* most pictures of a call; with more pictures the device is not idle */
    /*
     * Number of blocks that a thread decodes while the device decodes one that is as long as the longest block that the
     * device keeps. Threads could decode more in good conditions, but then threads that begin late would make the
     * device wait.
     */
    BLOCKS_A_THREAD = 8,
    MOST_THREADS = 16, /* the most threads that were measured */
    AT_LEAST = 256,    /* fewest bytes of a host block; the device finishes shorter blocks before threads have begun */
    STEP = 32,         /* bytes per step of the histogram */
    STEPS = 512,
    ALIGNMENT = 16 /* alignment of coefficients in words, so that threads do not write to the same cache line */
};

static uint32_t helpers_of(uint32_t threads)
{
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

uint64_t kst_j2k_gpu_host_most(uint32_t threads, uint64_t coefficients)
{
    uint64_t most = (uint64_t)helpers_of(threads) * BLOCKS_A_THREAD * J2K_BLOCK_SAMPLES;
    return coefficients < most ? coefficients : most;
}

/*
 * Return whether it can pay to make a block a host block. Blocks with flights finish sooner on the device, and T.814
 * blocks all take about equally long, and not long.
 */
static bool suits_host(const struct j2k_gpu_entry *entry)
{
    return entry->shape >> J2K_SHAPE_FLIGHTS == 0;
}

/* Return whether a block may be a host block if the caller chooses their least length. */
static bool may_be_host(const struct j2k_gpu_entry *entry)
{
    return suits_host(entry) || entry->shape >> J2K_SHAPE_HT != 0;
}

static const struct j2k_block *block_of(const struct j2k_gpu_part *part, const struct j2k_gpu_entry *entry)
{
    return &part->items[entry->item].plan->block[entry->block];
}

/*
 * Choose the fewest bytes of a host block; UINT32_MAX: there are no host blocks. Nothing would be gained where the
 * longest blocks that the device keeps would be almost as long, as when all blocks of a lossless picture are alike.
 */
static uint32_t choose_length(const struct j2k_gpu_part *part, uint32_t threads)
{
    uint64_t sum[STEPS] = {0}, chosen = 0;
    uint32_t length = UINT32_MAX, longest = 0;
    for (uint32_t i = 0; i < part->blocks; i++) {
        uint32_t bytes = (uint32_t)block_of(part, &part->entry[i])->length, step = bytes / STEP;
        if (!suits_host(&part->entry[i]))
            continue;
        sum[step < STEPS ? step : STEPS - 1] += bytes;
        longest = bytes > longest ? bytes : longest;
    }
    for (uint32_t k = STEPS; k-- > AT_LEAST / STEP;) {
        chosen += sum[k];
        if (chosen > (uint64_t)helpers_of(threads) * BLOCKS_A_THREAD * k * STEP)
            break;
        length = chosen > 0 ? k * STEP : UINT32_MAX;
    }
    return length <= longest - longest / 8 ? length : UINT32_MAX;
}

/*
 * Move the entries of blocks of at least `length` bytes behind the others; both keep their order. `all`: the caller
 * chose the length, so that all kinds of blocks that may be host blocks are moved.
 */
static bool part_entries(struct j2k_gpu_part *part, uint32_t length, bool all)
{
    struct j2k_gpu_entry *chosen = kst_memory_array(part->memory, part->blocks, sizeof *chosen, NULL);
    uint32_t kept = 0, count = 0;
    if (!chosen)
        return false;
    for (uint32_t i = 0; i < part->blocks; i++) {
        const struct j2k_gpu_entry entry = part->entry[i];
        if ((all ? may_be_host(&entry) : suits_host(&entry)) && block_of(part, &entry)->length >= length)
            chosen[count++] = entry;
        else
            part->entry[kept++] = entry;
    }
    memcpy(part->entry + kept, chosen, count * sizeof *chosen);
    kst_memory_release(part->memory, chosen);
    part->blocks = kept;
    part->host_blocks = count;
    return true;
}

static bool place_host_blocks(struct j2k_gpu_part *part)
{
    part->host_at = kst_memory_array(part->memory, part->host_blocks, sizeof *part->host_at, NULL);
    for (uint32_t i = 0; part->host_at && i < part->host_blocks; i++) {
        const struct j2k_gpu_entry *entry = &part->entry[part->blocks + i];
        const struct j2k_plan *plan = part->items[entry->item].plan;
        const struct j2k_block *block = block_of(part, entry);
        uint32_t area = (uint32_t)j2k_gpu_area(j2k_wanted_part(plan, block));
        bool narrow = j2k_gpu_is_narrow(part, entry->item, j2k_gpu_tile_of(plan, block));
        part->host_at[i] = part->host_words;
        part->host_words += ((narrow ? (area + 1) / 2 : area) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return part->host_at;
}

bool kst_j2k_gpu_split_blocks(struct j2k_gpu_part *part, const struct j2k_gpu_wish *wish)
{
    uint32_t length = wish->host_bytes;
    if (!part->entry)
        return true;
    if (wish->threads > 0 && length == 0 && part->count <= FEW_PICTURES)
        length = choose_length(part, wish->threads);
    return length == 0 || length == UINT32_MAX ||
           (part_entries(part, length, wish->host_bytes > 0) && place_host_blocks(part));
}
