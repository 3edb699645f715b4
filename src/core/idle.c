/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes, keeps and frees the large malloc() blocks that operations have released. */
#include "core/idle.h"

#include <stdlib.h>
#include <string.h>

#include "core/poison.h"

enum {
    /* A block counts as unwanted once FORGOTTEN times as many blocks as its shelf can hold were released after it. */
    FORGOTTEN = 2,
    SMALL_SHARE = 8,       /* small blocks may take 1/SMALL_SHARE of the limit, */
    SMALL_BYTES = 32 << 20 /* but no more than this */
};

static void make_shelf(struct idle_shelf *shelf, uint64_t limit, uint32_t most)
{
    shelf->limit = limit;
    shelf->most = most;
    pthread_mutex_init(&shelf->lock, NULL);
}

void kst_idle_init(struct idle_blocks *idle, uint64_t limit)
{
    const uint64_t share = limit / SMALL_SHARE, small = share < SMALL_BYTES ? share : SMALL_BYTES;
    memset(idle, 0, sizeof *idle);
    make_shelf(&idle->large, limit - small, IDLE_LARGE_MAX);
    make_shelf(&idle->small, small, IDLE_BLOCKS_MAX);
}

void kst_idle_destroy(struct idle_blocks *idle)
{
    kst_idle_trim(idle);
    pthread_mutex_destroy(&idle->large.lock);
    pthread_mutex_destroy(&idle->small.lock);
}

/* Return the shelf of blocks of this length, which is at least IDLE_LEAST. */
static struct idle_shelf *shelf_of(struct idle_blocks *idle, size_t length)
{
    return length < IDLE_LARGE_LEAST ? &idle->small : &idle->large;
}

/* The caller holds the lock. */
static struct idle_block remove_block(struct idle_shelf *shelf, uint32_t index)
{
    struct idle_block block = shelf->block[index];
    shelf->held -= block.length;
    shelf->block[index] = shelf->block[--shelf->count];
    return block;
}

/*
 * Return the index of the block that has been idle longest. The caller holds the lock, and there is at least one block.
 */
static uint32_t oldest(const struct idle_shelf *shelf)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < shelf->count; i++)
        if (shelf->block[i].since < shelf->block[found].since)
            found = i;
    return found;
}

/*
 * Return whether a kept block must be freed before `length` more bytes are kept, if `limit` bytes may be kept in all.
 * The caller holds the lock.
 */
static bool is_crowded(const struct idle_shelf *shelf, size_t length, uint64_t limit)
{
    return shelf->count > 0 && (shelf->count == shelf->most || shelf->held > limit - length ||
                                   shelf->clock - shelf->block[oldest(shelf)].since > FORGOTTEN * shelf->most);
}

size_t kst_idle_room(size_t length)
{
    size_t unit = 1;
    if (length < IDLE_LEAST)
        return length;
    while (unit <= length / 32)
        unit *= 2;
    return (length + unit - 1) / unit * unit;
}

void *kst_idle_take(struct idle_blocks *idle, size_t length, size_t *found)
{
    struct idle_shelf *shelf = shelf_of(idle, length);
    uint32_t best = IDLE_BLOCKS_MAX;
    struct idle_block block = {.raw = NULL};
    if (length < IDLE_LEAST)
        return NULL;
    pthread_mutex_lock(&shelf->lock);
    for (uint32_t i = 0; i < shelf->count; i++) {
        size_t there = shelf->block[i].length;
        if (there >= length && there - length <= length / 4 &&
            (best == IDLE_BLOCKS_MAX || there < shelf->block[best].length))
            best = i;
    }
    if (best < IDLE_BLOCKS_MAX)
        block = remove_block(shelf, best);
    pthread_mutex_unlock(&shelf->lock);
    if (block.raw)
        kst_unpoison(block.raw, block.length);
    *found = block.length;
    return block.raw;
}

/* Free blocks. The caller does not hold the lock, because free() may make system calls. */
static void free_blocks(const struct idle_block *block, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kst_unpoison(block[i].raw, block[i].length);
        free(block[i].raw);
    }
}

void kst_idle_give(struct idle_blocks *idle, void *raw, size_t length, uint64_t left)
{
    struct idle_shelf *shelf = shelf_of(idle, length);
    struct idle_block out[IDLE_BLOCKS_MAX];
    const uint64_t limit = left < shelf->limit ? left : shelf->limit;
    uint32_t count = 0;
    if (length < IDLE_LEAST || length > limit) {
        free(raw);
        return;
    }
    kst_poison(raw, length);
    pthread_mutex_lock(&shelf->lock);
    shelf->clock++;
    while (is_crowded(shelf, length, limit))
        out[count++] = remove_block(shelf, oldest(shelf));
    shelf->block[shelf->count++] = (struct idle_block){raw, length, shelf->clock};
    shelf->held += length;
    pthread_mutex_unlock(&shelf->lock);
    free_blocks(out, count);
}

/* Free the blocks that have been idle longest until the others take at most `most` bytes. */
static void shrink(struct idle_shelf *shelf, uint64_t most)
{
    struct idle_block out[IDLE_BLOCKS_MAX];
    uint32_t count = 0;
    pthread_mutex_lock(&shelf->lock);
    while (shelf->count > 0 && shelf->held > most)
        out[count++] = remove_block(shelf, oldest(shelf));
    pthread_mutex_unlock(&shelf->lock);
    free_blocks(out, count);
}

void kst_idle_shrink(struct idle_blocks *idle, uint64_t most)
{
    shrink(&idle->large, most);
}

void kst_idle_trim(struct idle_blocks *idle)
{
    shrink(&idle->large, 0);
    shrink(&idle->small, 0);
}
