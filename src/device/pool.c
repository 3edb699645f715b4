/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps released buffers of a device and reuses them. */
#include "device/pool.h"

#include "core/brief.h"

enum {
    LEAST_LENGTH = 4096,
    WASTE = 4 /* an idle buffer serves requests of at least this fraction of its length */
};

bool kst_gpu_pool_create(struct gpu_pool *pool, struct gpu *gpu)
{
    *pool = (struct gpu_pool){.gpu = gpu};
    return kst_brief_mutex_init(&pool->lock);
}

static void drop_idle(struct gpu_pool *pool)
{
    for (uint32_t i = 0; i < pool->count; i++)
        pool->gpu->backend->release(pool->gpu, &pool->idle[i]);
    pool->count = 0;
}

void kst_gpu_pool_destroy(struct gpu_pool *pool)
{
    drop_idle(pool);
    kst_memory_release(pool->gpu->memory, pool->idle);
    pthread_mutex_destroy(&pool->lock);
}

/* Round a length up to one of four sizes per power of two, so that similar requests can share buffers. */
static size_t round_length(size_t length)
{
    size_t step = LEAST_LENGTH;
    if (length < LEAST_LENGTH)
        return LEAST_LENGTH;
    while (step * 8 <= length)
        step *= 2;
    return length > SIZE_MAX - step ? length : (length + step - 1) / step * step;
}

/*
 * Take the shortest idle buffer that is long enough. The search begins with the buffer that was given back last, and
 * ends at one of exactly this length: there may be thousands of buffers, but of few lengths.
 */
static bool take_idle(struct gpu_pool *pool, enum gpu_place place, size_t length, struct gpu_buffer *buffer)
{
    uint32_t best = pool->count;
    for (uint32_t i = pool->count; i-- > 0 && (best == pool->count || pool->idle[best].length > length);) {
        const struct gpu_buffer *b = &pool->idle[i];
        if (b->place == place && b->length >= length && b->length / WASTE <= length &&
            (best == pool->count || b->length < pool->idle[best].length))
            best = i;
    }
    if (best == pool->count)
        return false;
    *buffer = pool->idle[best];
    pool->idle[best] = pool->idle[--pool->count];
    return true;
}

static bool allocate(
    struct gpu_pool *pool, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    const struct gpu_backend *backend = pool->gpu->backend;
    struct gpu_error first = {.status = KST_OK};
    if (backend->allocate(pool->gpu, place, length, buffer, &first))
        return true;
    pthread_mutex_lock(&pool->lock);
    drop_idle(pool);
    pthread_mutex_unlock(&pool->lock);
    return backend->allocate(pool->gpu, place, length, buffer, error);
}

bool kst_gpu_pool_take(
    struct gpu_pool *pool, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    size_t rounded = round_length(length);
    pthread_mutex_lock(&pool->lock);
    bool found = take_idle(pool, place, rounded, buffer);
    pthread_mutex_unlock(&pool->lock);
    if (!found && !allocate(pool, place, rounded, buffer, error))
        return false;
    buffer->used = length > 0 ? length : 1;
    return true;
}

/* Keep the buffer, or release it if there is no memory for the list. */
void kst_gpu_pool_give(struct gpu_pool *pool, struct gpu_buffer *buffer)
{
    if (buffer->length == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    if (pool->count == pool->capacity) {
        uint32_t capacity = pool->capacity ? 2 * pool->capacity : 16;
        struct gpu_buffer *grown = kst_memory_grow(
            pool->gpu->memory, pool->idle, pool->count * sizeof *pool->idle, capacity * sizeof *pool->idle, NULL);
        if (grown) {
            pool->idle = grown;
            pool->capacity = capacity;
        }
    }
    if (pool->count < pool->capacity)
        pool->idle[pool->count++] = *buffer;
    else
        pool->gpu->backend->release(pool->gpu, buffer);
    pthread_mutex_unlock(&pool->lock);
    *buffer = (struct gpu_buffer){.length = 0};
}
