/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the memory of one operation, which comes from the caller's allocator, counts against a limit and is 64-byte
 * aligned.
 */
#ifndef KOSTKA_CORE_MEMORY_H
#define KOSTKA_CORE_MEMORY_H

#include <stdatomic.h>

#include <kostka/kostka.h>

#include "core/idle.h"
#include "core/shared.h"

/* The most bytes that an allocation takes in addition to those asked for. */
enum { KST_MEMORY_OVERHEAD = 88 };

/* Accounts for what one operation allocates. Allocation and release are thread-safe. */
struct memory {
    kst_allocator allocator;
    uint64_t limit;
    /*
     * The idle blocks, from which large blocks are taken and to which they are released; null: the allocator serves
     * every call itself.
     */
    struct idle_blocks *idle;
    atomic_uint_fast64_t used;
    /*
     * The slab from which blocks are cut as long as it has room, IDLE_SLAB bytes; null: there is none. It counts
     * against the limit as a whole, and its blocks do not count again.
     */
    uint8_t *slab;
    atomic_size_t cut; /* bytes of the slab up to the end of the last block */
    pthread_t slab_user;
};

void kst_memory_init(struct memory *memory, const kst_allocator *allocator, uint64_t limit);

/* Initialise like kst_memory_init(), but with the allocator and the idle blocks of `other`. */
KST_SHARED void kst_memory_init_beside(struct memory *memory, const struct memory *other, uint64_t limit);

/*
 * Cut blocks from a slab from now on, if the context keeps idle blocks, and a slab is a small part of the limit. It
 * saves the operation most calls of malloc() and free(), for whose locks threads wait. kst_memory_slab_end() must
 * follow when all blocks of the operation have been released. No block may be handed over meanwhile.
 */
void kst_memory_slab_begin(struct memory *memory);
void kst_memory_slab_end(struct memory *memory);

/* Return whether the allocator is the standard one, malloc() and free(). */
bool kst_memory_is_standard(const struct memory *memory);

/* Return the number of bytes that may still be taken. */
static inline uint64_t kst_memory_left(const struct memory *memory)
{
    uint64_t used = atomic_load_explicit(&memory->used, memory_order_relaxed);
    return used < memory->limit ? memory->limit - used : 0;
}

/*
 * Allocate `count` × `size` bytes, 64-byte aligned, with undefined contents (zeroed for kst_memory_zeroed). Returns
 * null on overflow, beyond the limit or when the allocator fails; *status (which may be null) is then
 * KST_ERROR_LIMIT_MEMORY or KST_ERROR_MEMORY. A length of 0 gives a pointer that must be released too.
 */
KST_SHARED void *kst_memory_array(struct memory *memory, size_t count, size_t size, kst_status *status);
KST_SHARED void *kst_memory_zeroed(struct memory *memory, size_t count, size_t size, kst_status *status);

/* Resize a block like realloc(). The first `used` bytes are kept. On failure the old block is unchanged. */
KST_SHARED void *kst_memory_grow(struct memory *memory, void *block, size_t used, size_t length, kst_status *status);

/*
 * Let `to` account for a block from now on, because the block outlives the operation that made it. Both must have the
 * same allocator.
 */
void kst_memory_hand_over(struct memory *from, struct memory *to, void *block); /* null allowed */

KST_SHARED void kst_memory_release(struct memory *memory, void *block); /* null allowed */

/* Free the released blocks that the context keeps for later. */
void kst_memory_trim(struct memory *memory);

#endif
