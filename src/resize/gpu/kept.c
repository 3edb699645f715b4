/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the work of the last job on the device. */
#include "resize/gpu/kept.h"

void kst_resize_gpu_describe_work(
    const struct resize_gpu_axis *const *axis, uint32_t count, uint32_t steps, struct resize_gpu_work_key *key)
{
    *key = (struct resize_gpu_work_key){.steps = steps, .axes = count <= RESIZE_KEPT_AXES ? count : 0};
    for (uint32_t i = 0; i < key->axes; i++)
        key->serial[i] = axis[i]->serial;
}

static bool is_same(const struct resize_gpu_work_key *a, const struct resize_gpu_work_key *b)
{
    bool same = a->steps == b->steps && a->axes == b->axes;
    for (uint32_t i = 0; i < a->axes && same; i++)
        same = a->serial[i] == b->serial[i];
    return same;
}

bool kst_resize_gpu_kept_take(
    struct resize_gpu_axes *axes, const struct resize_gpu_work_key *key, struct gpu_buffer *buffer)
{
    pthread_mutex_lock(&axes->lock);
    const bool found = key->axes > 0 && axes->kept.length > 0 && is_same(key, &axes->kept_key);
    if (found) {
        *buffer = axes->kept;
        axes->kept = (struct gpu_buffer){.length = 0};
    }
    pthread_mutex_unlock(&axes->lock);
    return found;
}

void kst_resize_gpu_kept_give(struct resize_gpu_axes *axes, struct gpu_pool *pool,
    const struct resize_gpu_work_key *key, struct gpu_buffer *buffer)
{
    if (key->axes > 0) {
        pthread_mutex_lock(&axes->lock);
        const struct gpu_buffer former = axes->kept;
        axes->gpu = pool->gpu;
        axes->kept = *buffer;
        axes->kept_key = *key;
        *buffer = former;
        pthread_mutex_unlock(&axes->lock);
    }
    kst_gpu_pool_give(pool, buffer);
}
