/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large blocks of malloc() that are not in use at the moment. Their pages are resident already, which saves the next
 * operation one page fault for each of them: a third of the time that a JPEG picture takes to decode.
 */
#ifndef KOSTKA_CORE_IDLE_H
#define KOSTKA_CORE_IDLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IDLE_BLOCKS_MAX = 32, IDLE_LEAST = 1 << 20 /* bytes of a block that is worth keeping */ };

struct idle_block {
    void *raw;
    size_t length;
    uint64_t since; /* the clock when it was given back */
};

/* Thread-safe. */
struct idle_blocks {
    pthread_mutex_t lock; /* over all below */
    uint64_t limit;       /* of `held`, in bytes; 0: nothing is kept */
    uint64_t held;
    uint64_t clock; /* counts blocks that were given back */
    uint32_t count;
    struct idle_block block[IDLE_BLOCKS_MAX];
};

void kst_idle_init(struct idle_blocks *idle, uint64_t limit);
void kst_idle_destroy(struct idle_blocks *idle);

/*
 * The smallest block of at least `length` bytes that is not more than a quarter longer; `*found` is its length, and its
 * contents are undefined. Null where there is none.
 */
void *kst_idle_take(struct idle_blocks *idle, size_t length, size_t *found);

/*
 * Keep a block, in the place of older ones where those would be too many, or free it where it does not fit at all.
 * Blocks that nobody has wanted while many others were given back are freed.
 */
void kst_idle_give(struct idle_blocks *idle, void *raw, size_t length);

/* Free all blocks. */
void kst_idle_trim(struct idle_blocks *idle);

#endif
