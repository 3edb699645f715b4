/* SPDX-License-Identifier: BSD-2-Clause */
/* Lends pinned memory to the caller, and finds out whether an address lies in it. */
#include "device/pinned.h"

#include <string.h>

/* Return the number of buffers that begin at or before an address. They are sorted by their addresses. */
static uint32_t count_up_to(const struct gpu_runtime *runtime, const uint8_t *at)
{
    uint32_t low = 0, high = runtime->pinned_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)runtime->pinned[middle].host <= (uintptr_t)at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool remember(struct gpu_runtime *runtime, const struct gpu_buffer *buffer, kst_status *status)
{
    if (runtime->pinned_count == runtime->pinned_capacity) {
        uint32_t capacity = runtime->pinned_capacity ? 2 * runtime->pinned_capacity : 16;
        struct gpu_buffer *grown = kst_memory_grow(runtime->gpu->memory, runtime->pinned,
            runtime->pinned_count * sizeof *grown, capacity * sizeof *grown, status);
        if (!grown)
            return false;
        runtime->pinned = grown;
        runtime->pinned_capacity = capacity;
    }
    uint32_t place = count_up_to(runtime, buffer->host);
    memmove(&runtime->pinned[place + 1], &runtime->pinned[place],
        (runtime->pinned_count - place) * sizeof *runtime->pinned);
    runtime->pinned[place] = *buffer;
    runtime->pinned_count++;
    return true;
}

uint8_t *kst_gpu_pinned_take(struct gpu_runtime *runtime, size_t length, struct gpu_error *error)
{
    struct gpu_buffer buffer;
    if (!kst_gpu_pool_take(&runtime->pool, GPU_PINNED, length, &buffer, error))
        return NULL;
    pthread_mutex_lock(&runtime->lock);
    bool kept = remember(runtime, &buffer, &error->status);
    pthread_mutex_unlock(&runtime->lock);
    uint8_t *memory = buffer.host;
    if (kept)
        return memory;
    kst_gpu_pool_give(&runtime->pool, &buffer);
    return NULL;
}

/* The buffer that contains an address; null if there is none. */
static struct gpu_buffer *find(struct gpu_runtime *runtime, const uint8_t *at)
{
    uint32_t count = count_up_to(runtime, at);
    struct gpu_buffer *buffer = count > 0 ? &runtime->pinned[count - 1] : NULL;
    return buffer && (uintptr_t)at - (uintptr_t)buffer->host < buffer->length ? buffer : NULL;
}

void kst_gpu_pinned_give(struct gpu_runtime *runtime, void *memory)
{
    struct gpu_buffer buffer = {.length = 0};
    pthread_mutex_lock(&runtime->lock);
    struct gpu_buffer *found = find(runtime, memory);
    if (found && found->host == memory) {
        buffer = *found;
        uint32_t behind = --runtime->pinned_count - (uint32_t)(found - runtime->pinned);
        memmove(found, found + 1, behind * sizeof *found);
    }
    pthread_mutex_unlock(&runtime->lock);
    kst_gpu_pool_give(&runtime->pool, &buffer);
}

bool kst_gpu_is_pinned(struct gpu_runtime *runtime, const void *memory, size_t length)
{
    struct gpu *gpu = runtime->gpu;
    pthread_mutex_lock(&runtime->lock);
    const struct gpu_buffer *found = find(runtime, memory);
    bool own = found && length <= found->length - (size_t)((uintptr_t)memory - (uintptr_t)found->host);
    pthread_mutex_unlock(&runtime->lock);
    return own || gpu->backend->pinned(gpu, memory, length);
}
