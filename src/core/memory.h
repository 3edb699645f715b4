/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of one operation: the caller's allocator, a limit, 64-byte alignment. */
#ifndef KOSTKA_CORE_MEMORY_H
#define KOSTKA_CORE_MEMORY_H

#include <stdatomic.h>

#include <kostka/kostka.h>

#include "core/idle.h"

/* Bytes at most that an allocation takes beside those that are asked for. */
enum { KST_MEMORY_OVERHEAD = 88 };

/* Accounts for what one operation allocates. Allocation and release are thread-safe. */
struct memory {
    kst_allocator allocator;
    uint64_t limit;
    struct idle_blocks *idle; /* where large blocks come from and go to; null: all are the allocator's at once */
    atomic_uint_fast64_t used;
};

void kst_memory_init(struct memory *memory, const kst_allocator *allocator, uint64_t limit);

/* With the same allocator, and the same idle blocks, as `other`. */
void kst_memory_init_beside(struct memory *memory, const struct memory *other, uint64_t limit);

/* Whether it is malloc() and free() that are used. */
bool kst_memory_is_standard(const struct memory *memory);

/* Bytes that may still be taken. */
static inline uint64_t kst_memory_left(const struct memory *memory)
{
    uint64_t used = atomic_load_explicit(&memory->used, memory_order_relaxed);
    return used < memory->limit ? memory->limit - used : 0;
}

/*
 * `count` × `size` bytes, 64-byte aligned, contents undefined (zeroed for kst_memory_zeroed). Null on overflow, beyond
 * the limit or when the allocator fails; *status (may be null) then is KST_ERROR_LIMIT_MEMORY or KST_ERROR_MEMORY. A
 * length of 0 gives a pointer that must be released too.
 */
void *kst_memory_array(struct memory *memory, size_t count, size_t size, kst_status *status);
void *kst_memory_zeroed(struct memory *memory, size_t count, size_t size, kst_status *status);

/* As realloc, keeping the first `used` bytes; on failure the old block stays. */
void *kst_memory_grow(struct memory *memory, void *block, size_t used, size_t length, kst_status *status);

/* Account for a block in `to` from now on, which must have the same allocator: it outlives the operation it was made
 * in. */
void kst_memory_hand_over(struct memory *from, struct memory *to, void *block); /* null allowed */

void kst_memory_release(struct memory *memory, void *block); /* null allowed */

#endif
