/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates the memory of operations and counts it against their limits. */
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/poison.h"

enum { ALIGNMENT = 64, LARGE_PAGE = 2 << 20, SLABS_IN_LIMIT = 64 /* the fewest slabs that the limit has room for */ };

/* Holds the header that lies right in front of the bytes that the caller gets. */
struct memory_block {
    void *raw;       /* the pointer that the allocator returned */
    uint64_t length; /* bytes that the operation accounts for */
    uint64_t room;   /* bytes at `raw`; more than `length` if an idle block is used again */
};

enum { OVERHEAD = sizeof(struct memory_block) + ALIGNMENT - 1 };
_Static_assert((int)OVERHEAD <= (int)KST_MEMORY_OVERHEAD, "what others reckon with");

static void *standard_allocate(void *user, size_t length)
{
    (void)user;
    return malloc(length);
}

static void standard_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

void kst_memory_init(struct memory *memory, const kst_allocator *allocator, uint64_t limit)
{
    static const kst_allocator standard = {standard_allocate, standard_release, NULL};
    memory->allocator = allocator && allocator->allocate ? *allocator : standard;
    memory->limit = limit;
    memory->idle = NULL;
    atomic_init(&memory->used, 0);
    memory->slab = NULL;
    atomic_init(&memory->cut, 0);
}

void kst_memory_init_beside(struct memory *memory, const struct memory *other, uint64_t limit)
{
    kst_memory_init(memory, &other->allocator, limit);
    memory->idle = other->idle;
}

bool kst_memory_is_standard(const struct memory *memory)
{
    return memory->allocator.allocate == standard_allocate;
}

static bool charge(struct memory *memory, uint64_t length)
{
    uint_fast64_t used = atomic_load_explicit(&memory->used, memory_order_relaxed);
    do {
        if (length > memory->limit || used > memory->limit - length)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(
        &memory->used, &used, used + length, memory_order_relaxed, memory_order_relaxed));
    return true;
}

/* Mark the slack behind an aligned block as out of bounds, which AddressSanitizer cannot know. */
static void poison_slack(const struct memory_block *block, const uint8_t *end)
{
    const uint8_t *raw_end = (const uint8_t *)block->raw + block->room;
    kst_poison(end, (size_t)(raw_end - end));
}

/*
 * Ask the system for large pages. Pictures and coefficients are written once from end to end, and with pages of 4 KiB a
 * quarter of that time goes to page faults. Only large pages that lie wholly inside the block are requested, so nothing
 * becomes resident that otherwise would not.
 */
static void prefer_large_pages(void *raw, size_t length)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t first = ((uintptr_t)raw + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    const uintptr_t end = ((uintptr_t)raw + length) / LARGE_PAGE * LARGE_PAGE;
    if (end > first)
        madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)raw;
    (void)length;
#endif
}

/* Returns null if there is no memory left, even after the idle blocks were freed. */
static void *allocate_standard(struct memory *memory, size_t length, bool zero)
{
    /* calloc() does not touch pages that the system provides zeroed anyway. */
    void *raw = zero ? calloc(1, length) : malloc(length);
    if (!raw && memory->idle) {
        kst_idle_trim(memory->idle);
        raw = zero ? calloc(1, length) : malloc(length);
    }
    if (raw)
        prefer_large_pages(raw, length);
    return raw;
}

/* Cut a block from the slab; null: there is none, or no room in it. */
static void *cut(struct memory *memory, size_t length)
{
    size_t at = atomic_load_explicit(&memory->cut, memory_order_relaxed);
    if (!memory->slab || length > IDLE_SLAB)
        return NULL;
    do {
        if (length > IDLE_SLAB - at)
            return NULL;
    } while (!atomic_compare_exchange_weak_explicit(
        &memory->cut, &at, at + length, memory_order_acquire, memory_order_relaxed));
    kst_unpoison(memory->slab + at, length);
    return memory->slab + at;
}

/* Give a block back to the slab. Its bytes are cut again if it was the last block. */
static void uncut(struct memory *memory, const struct memory_block *block)
{
    size_t end = (size_t)((uint8_t *)block->raw - memory->slab) + (size_t)block->room;
    kst_poison(block->raw, (size_t)block->room);
    atomic_compare_exchange_strong_explicit(
        &memory->cut, &end, end - (size_t)block->room, memory_order_release, memory_order_relaxed);
}

void kst_memory_slab_begin(struct memory *memory)
{
    if (!memory->idle || memory->limit / SLABS_IN_LIMIT < IDLE_SLAB || !charge(memory, IDLE_SLAB))
        return;
    memory->slab = kst_idle_take_slab(memory->idle);
    memory->slab_user = pthread_self();
    atomic_store_explicit(&memory->cut, 0, memory_order_relaxed);
    if (memory->slab)
        kst_poison(memory->slab, IDLE_SLAB);
    else
        atomic_fetch_sub_explicit(&memory->used, IDLE_SLAB, memory_order_relaxed);
}

void kst_memory_slab_end(struct memory *memory)
{
    if (!memory->slab)
        return;
    kst_unpoison(memory->slab, IDLE_SLAB);
    kst_idle_give_slab(memory->idle, memory->slab, memory->slab_user);
    memory->slab = NULL;
    atomic_fetch_sub_explicit(&memory->used, IDLE_SLAB, memory_order_relaxed);
}

/*
 * Allocate, or take an idle block. `*room` receives the number of bytes allocated, and `*clean` whether they are zeroed
 * already, which is only attempted if `zero` is set.
 */
static void *allocate_raw(struct memory *memory, size_t length, bool zero, size_t *room, bool *clean)
{
    void *raw = memory->idle ? kst_idle_take(memory->idle, length, room) : NULL;
    *clean = false;
    if (raw)
        return raw;
    if (memory->idle && length >= IDLE_LEAST)
        kst_idle_shrink(memory->idle, kst_memory_left(memory));
    *room = memory->idle ? kst_idle_room(length) : length;
    if (!kst_memory_is_standard(memory))
        return memory->allocator.allocate(memory->allocator.user, *room);
    *clean = zero;
    return allocate_standard(memory, *room, zero);
}

/* Write the header of a block, and return the block behind it. */
static uint8_t *finish(void *raw, uint64_t charged, size_t room, size_t length)
{
    uint8_t *first = (uint8_t *)raw + sizeof(struct memory_block);
    first += -(uintptr_t)first % ALIGNMENT;
    struct memory_block *block = (struct memory_block *)(void *)(first - sizeof(struct memory_block));
    *block = (struct memory_block){raw, charged, room};
    poison_slack(block, first + length);
    return first;
}

static void *allocate(struct memory *memory, size_t count, size_t size, bool zero, kst_status *status)
{
    kst_status unused;
    if (!status)
        status = &unused;
    size_t length;
    size_t total;
    if (__builtin_mul_overflow(count, size, &length) || __builtin_add_overflow(length, (size_t)OVERHEAD, &total) ||
        total > PTRDIFF_MAX) {
        *status = KST_ERROR_LIMIT_MEMORY;
        return NULL;
    }
    void *raw = cut(memory, total);
    if (raw) {
        uint8_t *block = finish(raw, 0, total, length);
        return zero ? memset(block, 0, length) : block;
    }
    if (!charge(memory, total)) {
        *status = KST_ERROR_LIMIT_MEMORY;
        return NULL;
    }
    bool clean;
    size_t room;
    raw = allocate_raw(memory, total, zero, &room, &clean);
    if (!raw) {
        atomic_fetch_sub_explicit(&memory->used, total, memory_order_relaxed);
        *status = KST_ERROR_MEMORY;
        return NULL;
    }
    uint8_t *block = finish(raw, total, room, length);
    return zero && !clean ? memset(block, 0, length) : block;
}

void *kst_memory_array(struct memory *memory, size_t count, size_t size, kst_status *status)
{
    return allocate(memory, count, size, false, status);
}

void *kst_memory_zeroed(struct memory *memory, size_t count, size_t size, kst_status *status)
{
    return allocate(memory, count, size, true, status);
}

void *kst_memory_grow(struct memory *memory, void *block, size_t used, size_t length, kst_status *status)
{
    void *larger = allocate(memory, length, 1, false, status);
    if (!larger)
        return NULL;
    if (used > 0)
        memcpy(larger, block, used);
    kst_memory_release(memory, block);
    return larger;
}

void kst_memory_hand_over(struct memory *from, struct memory *to, void *block)
{
    if (!block)
        return;
    const struct memory_block *header = (const struct memory_block *)block - 1;
    atomic_fetch_add_explicit(&to->used, header->length, memory_order_relaxed);
    atomic_fetch_sub_explicit(&from->used, header->length, memory_order_relaxed);
}

void kst_memory_release(struct memory *memory, void *block)
{
    if (!block)
        return;
    const struct memory_block header = *((const struct memory_block *)block - 1);
    if (header.length == 0) { /* only blocks of a slab are not charged one by one */
        uncut(memory, &header);
        return;
    }
    kst_unpoison(header.raw, (size_t)header.room);
    atomic_fetch_sub_explicit(&memory->used, header.length, memory_order_relaxed);
    if (memory->idle)
        kst_idle_give(memory->idle, header.raw, (size_t)header.room, kst_memory_left(memory));
    else
        memory->allocator.release(memory->allocator.user, header.raw);
}

void kst_memory_trim(struct memory *memory)
{
    if (memory->idle)
        kst_idle_trim(memory->idle);
}
