/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes, keeps and frees the large malloc() blocks that operations have released. */
#include "core/idle.h"

#include <stdlib.h>

#include "core/poison.h"

enum { FORGOTTEN = 64 /* after this many others were released, a block is no longer expected to be wanted */ };

void kst_idle_init(struct idle_blocks *idle, uint64_t limit)
{
    *idle = (struct idle_blocks){.limit = limit};
    pthread_mutex_init(&idle->lock, NULL);
}

void kst_idle_destroy(struct idle_blocks *idle)
{
    kst_idle_trim(idle);
    pthread_mutex_destroy(&idle->lock);
}

/* The caller holds the lock. */
static struct idle_block remove_block(struct idle_blocks *idle, uint32_t index)
{
    struct idle_block block = idle->block[index];
    idle->held -= block.length;
    idle->block[index] = idle->block[--idle->count];
    return block;
}

/*
 * Return the index of the block that has been idle longest. The caller holds the lock, and there is at least one block.
 */
static uint32_t oldest(const struct idle_blocks *idle)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < idle->count; i++)
        if (idle->block[i].since < idle->block[found].since)
            found = i;
    return found;
}

/* Return whether a block must go before `length` more bytes are kept. The caller holds the lock. */
static bool is_crowded(const struct idle_blocks *idle, size_t length)
{
    return idle->count > 0 && (idle->count == IDLE_BLOCKS_MAX || idle->held > idle->limit - length ||
                                  idle->clock - idle->block[oldest(idle)].since > FORGOTTEN);
}

void *kst_idle_take(struct idle_blocks *idle, size_t length, size_t *found)
{
    uint32_t best = IDLE_BLOCKS_MAX;
    struct idle_block block = {.raw = NULL};
    if (length < IDLE_LEAST)
        return NULL;
    pthread_mutex_lock(&idle->lock);
    for (uint32_t i = 0; i < idle->count; i++) {
        size_t there = idle->block[i].length;
        if (there >= length && there - length <= length / 4 &&
            (best == IDLE_BLOCKS_MAX || there < idle->block[best].length))
            best = i;
    }
    if (best < IDLE_BLOCKS_MAX)
        block = remove_block(idle, best);
    pthread_mutex_unlock(&idle->lock);
    if (block.raw)
        kst_unpoison(block.raw, block.length);
    *found = block.length;
    return block.raw;
}

/* This is called without the lock, because free() may make system calls. */
static void free_blocks(const struct idle_block *block, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kst_unpoison(block[i].raw, block[i].length);
        free(block[i].raw);
    }
}

void kst_idle_give(struct idle_blocks *idle, void *raw, size_t length)
{
    struct idle_block out[IDLE_BLOCKS_MAX];
    uint32_t count = 0;
    if (length < IDLE_LEAST || length > idle->limit) {
        free(raw);
        return;
    }
    kst_poison(raw, length);
    pthread_mutex_lock(&idle->lock);
    idle->clock++;
    while (is_crowded(idle, length))
        out[count++] = remove_block(idle, oldest(idle));
    idle->block[idle->count++] = (struct idle_block){raw, length, idle->clock};
    idle->held += length;
    pthread_mutex_unlock(&idle->lock);
    free_blocks(out, count);
}

void kst_idle_trim(struct idle_blocks *idle)
{
    struct idle_block out[IDLE_BLOCKS_MAX];
    uint32_t count = 0;
    pthread_mutex_lock(&idle->lock);
    while (idle->count > 0)
        out[count++] = remove_block(idle, 0);
    pthread_mutex_unlock(&idle->lock);
    free_blocks(out, count);
}
