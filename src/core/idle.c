/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes, keeps and frees the large malloc() blocks that operations have released. */
#include "core/idle.h"

#include <stdlib.h>
#include <string.h>

#include "core/poison.h"

enum {
    /* A block counts as unwanted once FORGOTTEN times as many blocks as its shelf can hold were released after it. */
    FORGOTTEN = 2,
    SMALL_SHARE = 8,        /* small blocks may take 1/SMALL_SHARE of the limit, */
    SMALL_BYTES = 32 << 20, /* but no more than this; */
    SLABS_SHARE = 4         /* and slabs 1/SLABS_SHARE of the limit */
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
    const uint64_t fit = limit / SLABS_SHARE / IDLE_SLAB, slabs = fit < IDLE_SLABS_MAX ? fit : IDLE_SLABS_MAX;
    memset(idle, 0, sizeof *idle);
    make_shelf(&idle->large, limit - small, IDLE_LARGE_MAX);
    make_shelf(&idle->small, small, IDLE_BLOCKS_MAX);
    idle->slabs.most = (uint32_t)slabs;
    pthread_mutex_init(&idle->slabs.lock, NULL);
}

void kst_idle_destroy(struct idle_blocks *idle)
{
    kst_idle_trim(idle);
    pthread_mutex_destroy(&idle->large.lock);
    pthread_mutex_destroy(&idle->small.lock);
    pthread_mutex_destroy(&idle->slabs.lock);
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

/* Return the most bytes that a shelf may hold. Slabs take room from large blocks. */
static uint64_t limit_of(const struct idle_blocks *idle, const struct idle_shelf *shelf)
{
    const uint32_t made = atomic_load_explicit(&idle->slabs.made, memory_order_relaxed);
    const uint32_t slabs = made < idle->slabs.most ? made : idle->slabs.most;
    return shelf == &idle->large ? shelf->limit - (uint64_t)slabs * IDLE_SLAB : shelf->limit;
}

void kst_idle_give(struct idle_blocks *idle, void *raw, size_t length, uint64_t left)
{
    struct idle_shelf *shelf = shelf_of(idle, length);
    struct idle_block out[IDLE_BLOCKS_MAX];
    const uint64_t most = limit_of(idle, shelf), limit = left < most ? left : most;
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

/* Take the slab that a thread had last; otherwise the last one that was given back. The caller holds the lock. */
static void *choose_slab(struct idle_slabs *slabs, pthread_t user)
{
    if (slabs->count == 0)
        return NULL;
    uint32_t found = slabs->count - 1;
    for (uint32_t i = 0; i < slabs->count; i++)
        if (pthread_equal(slabs->slab[i].user, user))
            found = i;
    void *raw = slabs->slab[found].raw;
    slabs->slab[found] = slabs->slab[--slabs->count];
    return raw;
}

/*
 * Make a slab, and let it take its room from large blocks. There are no more slabs than may be kept, since fresh ones
 * would cost more than they save.
 */
static void *make_slab(struct idle_blocks *idle)
{
    struct idle_slabs *slabs = &idle->slabs;
    const bool fits = atomic_fetch_add_explicit(&slabs->made, 1, memory_order_relaxed) < slabs->most;
    void *raw = fits ? malloc(IDLE_SLAB) : NULL;
    if (!raw) {
        atomic_fetch_sub_explicit(&slabs->made, 1, memory_order_relaxed);
        return NULL;
    }
    shrink(&idle->large, limit_of(idle, &idle->large));
    return raw;
}

void *kst_idle_take_slab(struct idle_blocks *idle)
{
    struct idle_slabs *slabs = &idle->slabs;
    if (slabs->most == 0)
        return NULL;
    pthread_mutex_lock(&slabs->lock);
    void *raw = choose_slab(slabs, pthread_self());
    pthread_mutex_unlock(&slabs->lock);
    if (!raw)
        return make_slab(idle);
    kst_unpoison(raw, IDLE_SLAB);
    return raw;
}

void kst_idle_give_slab(struct idle_blocks *idle, void *raw, pthread_t user)
{
    struct idle_slabs *slabs = &idle->slabs;
    kst_poison(raw, IDLE_SLAB);
    pthread_mutex_lock(&slabs->lock);
    slabs->slab[slabs->count++] = (struct idle_slab){raw, user};
    pthread_mutex_unlock(&slabs->lock);
}

static void free_slabs(struct idle_slabs *slabs)
{
    void *raw[IDLE_SLABS_MAX];
    uint32_t count = 0;
    pthread_mutex_lock(&slabs->lock);
    while (slabs->count > 0)
        raw[count++] = slabs->slab[--slabs->count].raw;
    pthread_mutex_unlock(&slabs->lock);
    for (uint32_t i = 0; i < count; i++) {
        kst_unpoison(raw[i], IDLE_SLAB);
        free(raw[i]);
    }
    atomic_fetch_sub_explicit(&slabs->made, count, memory_order_relaxed);
}

void kst_idle_shrink(struct idle_blocks *idle, uint64_t most)
{
    shrink(&idle->large, most);
}

void kst_idle_trim(struct idle_blocks *idle)
{
    shrink(&idle->large, 0);
    shrink(&idle->small, 0);
    free_slabs(&idle->slabs);
}
