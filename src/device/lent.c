/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps lists of buffers that were lent to callers. */
#include "device/lent.h"

#include <string.h>

enum { LEAF = 64, FIRST_CAPACITY = 16 };

struct gpu_lent_leaf {
    uint32_t count;
    struct gpu_buffer buffer[LEAF];
};

/* Return the address of a list's item at an index. */
typedef uintptr_t (*address_at)(const void *list, uint32_t index);

static uintptr_t address_of_buffer(const void *leaf, uint32_t index)
{
    return kst_gpu_lent_address(&((const struct gpu_lent_leaf *)leaf)->buffer[index]);
}

static uintptr_t address_of_leaf(const void *lent, uint32_t index)
{
    return address_of_buffer(((const struct gpu_lent *)lent)->leaf[index], 0);
}

/* Return how many of a sorted list's items begin at or before an address. */
static uint32_t count_up_to(const void *list, uint32_t count, address_at at, uintptr_t address)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at(list, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t leaves_up_to(const struct gpu_lent *lent, uintptr_t address)
{
    return count_up_to(lent, lent->count, address_of_leaf, address);
}

static uint32_t buffers_up_to(const struct gpu_lent_leaf *leaf, uintptr_t address)
{
    return count_up_to(leaf, leaf->count, address_of_buffer, address);
}

static bool make_room(struct gpu_lent *lent, struct memory *memory, kst_status *status)
{
    if (lent->count < lent->capacity)
        return true;
    uint32_t capacity = lent->capacity ? 2 * lent->capacity : FIRST_CAPACITY;
    struct gpu_lent_leaf **grown =
        kst_memory_grow(memory, lent->leaf, lent->count * sizeof *lent->leaf, capacity * sizeof *lent->leaf, status);
    if (!grown)
        return false;
    lent->leaf = grown;
    lent->capacity = capacity;
    return true;
}

/* Insert an empty leaf, which the caller fills. Returns null and sets the status if there is no memory. */
static struct gpu_lent_leaf *insert_leaf(
    struct gpu_lent *lent, struct memory *memory, uint32_t place, kst_status *status)
{
    if (!make_room(lent, memory, status))
        return NULL;
    struct gpu_lent_leaf *leaf = kst_memory_zeroed(memory, 1, sizeof *leaf, status);
    if (!leaf)
        return NULL;
    memmove(&lent->leaf[place + 1], &lent->leaf[place], (lent->count - place) * sizeof *lent->leaf);
    lent->leaf[place] = leaf;
    lent->count++;
    return leaf;
}

/* Move the upper half of a full leaf to a new one behind it. */
static bool split(struct gpu_lent *lent, struct memory *memory, uint32_t place, kst_status *status)
{
    struct gpu_lent_leaf *upper = insert_leaf(lent, memory, place + 1, status);
    if (!upper)
        return false;
    struct gpu_lent_leaf *lower = lent->leaf[place];
    lower->count = LEAF / 2;
    upper->count = LEAF - LEAF / 2;
    memcpy(upper->buffer, &lower->buffer[LEAF / 2], upper->count * sizeof upper->buffer[0]);
    return true;
}

/* Return the leaf that takes a buffer at an address, with room for one more; null if there is no memory. */
static struct gpu_lent_leaf *leaf_for(
    struct gpu_lent *lent, struct memory *memory, uintptr_t address, kst_status *status)
{
    if (lent->count == 0)
        return insert_leaf(lent, memory, 0, status);
    uint32_t up_to = leaves_up_to(lent, address), place = up_to > 0 ? up_to - 1 : 0;
    if (lent->leaf[place]->count < LEAF)
        return lent->leaf[place];
    if (!split(lent, memory, place, status))
        return NULL;
    bool above = kst_gpu_lent_address(&lent->leaf[place + 1]->buffer[0]) <= address;
    return lent->leaf[place + above];
}

bool kst_gpu_lent_add(struct gpu_lent *lent, struct memory *memory, const struct gpu_buffer *buffer, kst_status *status)
{
    uintptr_t address = kst_gpu_lent_address(buffer);
    struct gpu_lent_leaf *leaf = leaf_for(lent, memory, address, status);
    if (!leaf)
        return false;
    uint32_t place = buffers_up_to(leaf, address);
    memmove(&leaf->buffer[place + 1], &leaf->buffer[place], (leaf->count - place) * sizeof leaf->buffer[0]);
    leaf->buffer[place] = *buffer;
    leaf->count++;
    return true;
}

const struct gpu_buffer *kst_gpu_lent_find(const struct gpu_lent *lent, uintptr_t address)
{
    uint32_t place = leaves_up_to(lent, address);
    if (place == 0)
        return NULL;
    const struct gpu_lent_leaf *leaf = lent->leaf[place - 1];
    const struct gpu_buffer *buffer = &leaf->buffer[buffers_up_to(leaf, address) - 1];
    return address - kst_gpu_lent_address(buffer) < buffer->length ? buffer : NULL;
}

static void remove_leaf(struct gpu_lent *lent, struct memory *memory, uint32_t place)
{
    kst_memory_release(memory, lent->leaf[place]);
    lent->count--;
    memmove(&lent->leaf[place], &lent->leaf[place + 1], (lent->count - place) * sizeof *lent->leaf);
}

bool kst_gpu_lent_remove(struct gpu_lent *lent, struct memory *memory, uintptr_t address, struct gpu_buffer *buffer)
{
    uint32_t place = leaves_up_to(lent, address);
    if (place == 0)
        return false;
    struct gpu_lent_leaf *leaf = lent->leaf[place - 1];
    uint32_t count = buffers_up_to(leaf, address);
    if (kst_gpu_lent_address(&leaf->buffer[count - 1]) != address)
        return false;
    *buffer = leaf->buffer[count - 1];
    leaf->count--;
    memmove(&leaf->buffer[count - 1], &leaf->buffer[count], (leaf->count - (count - 1)) * sizeof leaf->buffer[0]);
    if (leaf->count == 0)
        remove_leaf(lent, memory, place - 1);
    return true;
}

bool kst_gpu_lent_remove_last(struct gpu_lent *lent, struct memory *memory, struct gpu_buffer *buffer)
{
    if (lent->count == 0)
        return false;
    struct gpu_lent_leaf *leaf = lent->leaf[lent->count - 1];
    *buffer = leaf->buffer[--leaf->count];
    if (leaf->count == 0)
        remove_leaf(lent, memory, lent->count - 1);
    return true;
}

void kst_gpu_lent_release(struct gpu_lent *lent, struct memory *memory)
{
    for (uint32_t i = 0; i < lent->count; i++)
        kst_memory_release(memory, lent->leaf[i]);
    kst_memory_release(memory, lent->leaf);
    *lent = (struct gpu_lent){.leaf = NULL};
}
