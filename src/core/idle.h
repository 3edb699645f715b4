/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps large malloc() blocks that are not in use at the moment. Their pages are already resident, which saves the next
 * operation a page fault for each page: a third of the time that a JPEG picture takes to decode.
 */
#ifndef KOSTKA_CORE_IDLE_H
#define KOSTKA_CORE_IDLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    IDLE_BLOCKS_MAX = 128,
    IDLE_LARGE_MAX = 32,        /* the most large blocks that are kept: pictures and coefficients */
    IDLE_LEAST = 1 << 16,       /* the shortest block, in bytes, that is worth keeping */
    IDLE_LARGE_LEAST = 1 << 20, /* the shortest large block, in bytes; smaller ones are plans and their arrays */
    IDLE_SLAB = 1 << 19,        /* bytes of a slab: what the plan of a volume of 128³ samples takes */
    IDLE_SLABS_MAX = 128
};

struct idle_block {
    void *raw;
    size_t length;
    uint64_t since; /* the value of the clock when the block was released */
};

/* Holds blocks of one kind. Blocks of the other kind come and go without making these look old. */
struct idle_shelf {
    pthread_mutex_t lock; /* guards all members below */
    uint64_t limit;       /* the most that `held` may be, in bytes; 0: nothing is kept */
    uint64_t held;
    uint64_t clock; /* the number of blocks released so far */
    uint32_t most;  /* the most blocks that are kept */
    uint32_t count;
    struct idle_block block[IDLE_BLOCKS_MAX];
};

/*
 * Holds slabs, which are blocks of one length from which an operation cuts its own (memory.h). A thread gets the slab
 * that it had last, if it is there, because another thread's is in the cache of another core.
 */
struct idle_slabs {
    uint32_t most;        /* slabs that there may be */
    atomic_uint made;     /* kept or in use */
    pthread_mutex_t lock; /* guards all members below */
    uint32_t count;
    struct idle_slab {
        void *raw;
        pthread_t user; /* the last thread that took it */
    } slab[IDLE_SLABS_MAX];
};

/* Keeps blocks of both kinds, and slabs. All functions may be called from several threads at once. */
struct idle_blocks {
    struct idle_shelf large, small;
    struct idle_slabs slabs;
};

/* Keep at most `limit` bytes. */
void kst_idle_init(struct idle_blocks *idle, uint64_t limit);
void kst_idle_destroy(struct idle_blocks *idle);

/*
 * Return the length to allocate so that a block of `length` bytes can be kept for later: up to a sixteenth more. The
 * blocks of one tile or picture differ a little in length from those of the next, which can only take blocks that are
 * not shorter.
 */
size_t kst_idle_room(size_t length);

/*
 * Take the smallest block of at least `length` bytes that is at most a quarter longer. `*found` receives its length;
 * its contents are undefined. Returns null if there is none.
 */
void *kst_idle_take(struct idle_blocks *idle, size_t length, size_t *found);

/*
 * Keep a block, or free it if it does not fit at all. Older blocks are freed to make room, as are blocks that nobody
 * has wanted while many others were released. `left` is the number of bytes that the operation may still take: the kept
 * blocks of one kind never take more than that, so that blocks in use and idle blocks together stay within the
 * operation's limit.
 */
void kst_idle_give(struct idle_blocks *idle, void *raw, size_t length, uint64_t left);

/* Take a slab that is kept, or allocate one. Returns null if there is no memory, or no more slabs are allowed. */
void *kst_idle_take_slab(struct idle_blocks *idle);

/* Keep a slab that `user` took. */
void kst_idle_give_slab(struct idle_blocks *idle, void *raw, pthread_t user);

/* Free large blocks, the longest idle first, until they take at most `most` bytes. */
void kst_idle_shrink(struct idle_blocks *idle, uint64_t most);

/* Free all blocks. */
void kst_idle_trim(struct idle_blocks *idle);

#endif
