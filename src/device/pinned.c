/* SPDX-License-Identifier: BSD-2-Clause */
/* Lends pinned memory to the caller, and finds out whether an address lies in it. */
#include "device/pinned.h"

uint8_t *kst_gpu_pinned_take(struct gpu_runtime *runtime, size_t length, struct gpu_error *error)
{
    struct gpu_buffer buffer;
    if (!kst_gpu_pool_take(&runtime->pool, GPU_PINNED, length, &buffer, error))
        return NULL;
    pthread_mutex_lock(&runtime->lent_lock);
    bool kept = kst_gpu_lent_add(&runtime->pinned, runtime->gpu->memory, &buffer, &error->status);
    pthread_mutex_unlock(&runtime->lent_lock);
    uint8_t *memory = buffer.host;
    if (kept)
        return memory;
    kst_gpu_pool_give(&runtime->pool, &buffer);
    return NULL;
}

void kst_gpu_pinned_give(struct gpu_runtime *runtime, void *memory)
{
    struct gpu_buffer buffer = {.length = 0};
    pthread_mutex_lock(&runtime->lent_lock);
    kst_gpu_lent_remove(&runtime->pinned, runtime->gpu->memory, (uintptr_t)memory, &buffer);
    pthread_mutex_unlock(&runtime->lent_lock);
    kst_gpu_pool_give(&runtime->pool, &buffer);
}

bool kst_gpu_is_pinned(struct gpu_runtime *runtime, const void *memory, size_t length)
{
    struct gpu *gpu = runtime->gpu;
    pthread_mutex_lock(&runtime->lent_lock);
    const struct gpu_buffer *found = kst_gpu_lent_find(&runtime->pinned, (uintptr_t)memory);
    bool own = found && length <= found->length - (size_t)((uintptr_t)memory - (uintptr_t)found->host);
    pthread_mutex_unlock(&runtime->lent_lock);
    return own || gpu->backend->pinned(gpu, memory, length);
}
