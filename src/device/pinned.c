/* SPDX-License-Identifier: BSD-2-Clause */
/* Lends pinned memory to the caller, and finds out whether an address lies in it. */
#include "device/pinned.h"

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
    runtime->pinned[runtime->pinned_count++] = *buffer;
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
    for (uint32_t i = 0; i < runtime->pinned_count; i++) {
        struct gpu_buffer *buffer = &runtime->pinned[i];
        if ((uintptr_t)at >= (uintptr_t)buffer->host && (uintptr_t)at - (uintptr_t)buffer->host < buffer->length)
            return buffer;
    }
    return NULL;
}

void kst_gpu_pinned_give(struct gpu_runtime *runtime, void *memory)
{
    struct gpu_buffer buffer = {.length = 0};
    pthread_mutex_lock(&runtime->lock);
    struct gpu_buffer *found = find(runtime, memory);
    if (found && found->host == memory) {
        buffer = *found;
        *found = runtime->pinned[--runtime->pinned_count];
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
