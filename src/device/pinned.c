/* SPDX-License-Identifier: BSD-2-Clause */
/* Lends pinned memory to the caller and recognises it. */
#include "device/pinned.h"

static bool remember(struct gpu_executor *executor, const struct gpu_buffer *buffer, kst_status *status)
{
    if (executor->pinned_count == executor->pinned_capacity) {
        uint32_t capacity = executor->pinned_capacity ? 2 * executor->pinned_capacity : 16;
        struct gpu_buffer *grown = kst_memory_grow(executor->gpu->memory, executor->pinned,
            executor->pinned_count * sizeof *grown, capacity * sizeof *grown, status);
        if (!grown)
            return false;
        executor->pinned = grown;
        executor->pinned_capacity = capacity;
    }
    executor->pinned[executor->pinned_count++] = *buffer;
    return true;
}

uint8_t *kst_gpu_pinned_take(struct gpu_executor *executor, size_t length, struct gpu_error *error)
{
    struct gpu_buffer buffer;
    if (!kst_gpu_pool_take(&executor->pool, GPU_PINNED, length, &buffer, error))
        return NULL;
    pthread_mutex_lock(&executor->lock);
    bool kept = remember(executor, &buffer, &error->status);
    pthread_mutex_unlock(&executor->lock);
    uint8_t *memory = buffer.host;
    if (kept)
        return memory;
    kst_gpu_pool_give(&executor->pool, &buffer);
    return NULL;
}

/* The buffer that contains an address; null if there is none. */
static struct gpu_buffer *find(struct gpu_executor *executor, const uint8_t *at)
{
    for (uint32_t i = 0; i < executor->pinned_count; i++) {
        struct gpu_buffer *buffer = &executor->pinned[i];
        if ((uintptr_t)at >= (uintptr_t)buffer->host && (uintptr_t)at - (uintptr_t)buffer->host < buffer->length)
            return buffer;
    }
    return NULL;
}

void kst_gpu_pinned_give(struct gpu_executor *executor, void *memory)
{
    struct gpu_buffer buffer = {.length = 0};
    pthread_mutex_lock(&executor->lock);
    struct gpu_buffer *found = find(executor, memory);
    if (found && found->host == memory) {
        buffer = *found;
        *found = executor->pinned[--executor->pinned_count];
    }
    pthread_mutex_unlock(&executor->lock);
    kst_gpu_pool_give(&executor->pool, &buffer);
}

bool kst_gpu_is_pinned(struct gpu_executor *executor, const void *memory, size_t length)
{
    struct gpu *gpu = executor->gpu;
    pthread_mutex_lock(&executor->lock);
    const struct gpu_buffer *found = find(executor, memory);
    bool own = found && length <= found->length - (size_t)((uintptr_t)memory - (uintptr_t)found->host);
    pthread_mutex_unlock(&executor->lock);
    return own || gpu->backend->pinned(gpu, memory, length);
}
