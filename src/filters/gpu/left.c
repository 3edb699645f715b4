/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the buffers of work that was left to the caller's stream until the work is done. */
#include "filters/gpu/left.h"

void kst_filter_gpu_left_begin(struct filter_gpu_left *left)
{
    pthread_mutex_init(&left->lock, NULL);
}

void kst_filter_gpu_left_end(struct filter_gpu_left *left, struct memory *memory)
{
    while (left->first) {
        struct filter_gpu_lot *lot = left->first;
        struct gpu *gpu = lot->gpu;
        left->first = lot->next;
        for (int i = 0; i < FILTER_LEFT_BUFFERS; i++)
            if (lot->buffer[i].length > 0)
                gpu->backend->release(gpu, &lot->buffer[i]);
        gpu->backend->event_destroy(gpu, &lot->event);
        kst_memory_release(memory, lot);
    }
    pthread_mutex_destroy(&left->lock);
}

struct filter_gpu_lot *kst_filter_gpu_lot_make(struct gpu_runtime *runtime, struct gpu_error *error)
{
    struct gpu *gpu = runtime->gpu;
    struct filter_gpu_lot *lot = kst_memory_zeroed(gpu->memory, 1, sizeof *lot, &error->status);
    if (!lot)
        return NULL;
    lot->gpu = gpu;
    if (gpu->backend->event_create(gpu, &lot->event, error))
        return lot;
    kst_memory_release(gpu->memory, lot);
    return NULL;
}

void kst_filter_gpu_lot_drop(struct gpu_runtime *runtime, struct filter_gpu_lot *lot)
{
    if (!lot)
        return;
    for (int i = 0; i < FILTER_LEFT_BUFFERS; i++)
        kst_gpu_pool_give(&runtime->pool, &lot->buffer[i]);
    runtime->gpu->backend->event_destroy(runtime->gpu, &lot->event);
    kst_memory_release(runtime->gpu->memory, lot);
}

void kst_filter_gpu_leave(struct filter_gpu_left *left, struct gpu_queue *queue, struct filter_gpu_lot *lot)
{
    const struct gpu_backend *backend = queue->gpu->backend;
    backend->record(queue, &lot->event);
    backend->flush(queue);
    if (queue->error.status)
        backend->finish(queue); /* a failed queue records no event, and the event then counts as passed */
    pthread_mutex_lock(&left->lock);
    lot->next = left->first;
    left->first = lot;
    pthread_mutex_unlock(&left->lock);
}

void kst_filter_gpu_left_collect(struct filter_gpu_left *left, struct gpu_runtime *runtime)
{
    pthread_mutex_lock(&left->lock);
    for (struct filter_gpu_lot **link = &left->first; *link;) {
        struct filter_gpu_lot *lot = *link;
        if (!runtime->gpu->backend->passed(runtime->gpu, &lot->event)) {
            link = &lot->next;
            continue;
        }
        *link = lot->next;
        kst_filter_gpu_lot_drop(runtime, lot);
    }
    pthread_mutex_unlock(&left->lock);
}
