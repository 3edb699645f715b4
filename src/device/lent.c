/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps lists of buffers that were lent to callers. */
#include "device/lent.h"

#include <string.h>

/* Return the number of buffers that begin at or before an address. */
static uint32_t count_up_to(const struct gpu_lent *lent, uintptr_t address)
{
    uint32_t low = 0, high = lent->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kst_gpu_lent_address(&lent->buffer[middle]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool grow(struct gpu_lent *lent, struct memory *memory, kst_status *status)
{
    uint32_t capacity = lent->capacity ? 2 * lent->capacity : 16;
    struct gpu_buffer *grown = kst_memory_grow(
        memory, lent->buffer, lent->count * sizeof *lent->buffer, capacity * sizeof *lent->buffer, status);
    if (!grown)
        return false;
    lent->buffer = grown;
    lent->capacity = capacity;
    return true;
}

bool kst_gpu_lent_add(struct gpu_lent *lent, struct memory *memory, const struct gpu_buffer *buffer, kst_status *status)
{
    if (lent->count == lent->capacity && !grow(lent, memory, status))
        return false;
    uint32_t place = count_up_to(lent, kst_gpu_lent_address(buffer));
    memmove(&lent->buffer[place + 1], &lent->buffer[place], (lent->count - place) * sizeof *lent->buffer);
    lent->buffer[place] = *buffer;
    lent->count++;
    return true;
}

const struct gpu_buffer *kst_gpu_lent_find(const struct gpu_lent *lent, uintptr_t address)
{
    uint32_t count = count_up_to(lent, address);
    const struct gpu_buffer *buffer = count > 0 ? &lent->buffer[count - 1] : NULL;
    return buffer && address - kst_gpu_lent_address(buffer) < buffer->length ? buffer : NULL;
}

bool kst_gpu_lent_remove(struct gpu_lent *lent, uintptr_t address, struct gpu_buffer *buffer)
{
    uint32_t count = count_up_to(lent, address);
    if (count == 0 || kst_gpu_lent_address(&lent->buffer[count - 1]) != address)
        return false;
    *buffer = lent->buffer[count - 1];
    lent->count--;
    memmove(&lent->buffer[count - 1], &lent->buffer[count], (lent->count - (count - 1)) * sizeof *lent->buffer);
    return true;
}
