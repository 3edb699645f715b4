/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a device ready for work, and lends its queues to threads. */
#include "device/executor.h"

#include "device/profile.h"

/* Make an executor for an open device, which is closed on failure. */
static kst_status create(
    struct memory *memory, struct gpu *gpu, struct gpu_executor **executor, struct gpu_error *error)
{
    struct gpu_executor *made = kst_memory_zeroed(memory, 1, sizeof *made, &error->status);
    if (!made) {
        kst_gpu_close(&gpu);
        return error->status;
    }
    made->gpu = gpu;
    kst_gpu_pool_create(&made->pool, gpu);
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->build_lock, NULL);
    *executor = made;
    return KST_OK;
}

kst_status kst_gpu_executor_create(
    struct memory *memory, const char *name, struct gpu_executor **executor, struct gpu_error *error)
{
    struct gpu *gpu;
    kst_status status = kst_gpu_open(memory, name, &gpu, error);
    return status ? status : create(memory, gpu, executor, error);
}

kst_status kst_gpu_executor_create_opencl(
    struct memory *memory, void *context, void *device, struct gpu_executor **executor, struct gpu_error *error)
{
    struct gpu *gpu;
    kst_status status = kst_gpu_open_opencl(memory, context, device, &gpu, error);
    return status ? status : create(memory, gpu, executor, error);
}

static void release_lane(struct gpu_executor *executor, struct gpu_lane *lane)
{
    struct gpu *gpu = executor->gpu;
    for (int i = 0; i < LANE_EVENTS; i++)
        gpu->backend->event_destroy(gpu, &lane->event[i]);
    gpu->backend->queue_destroy(&lane->queue);
    gpu->backend->queue_destroy(&lane->urgent);
    kst_memory_release(gpu->memory, lane);
}

void kst_gpu_executor_destroy(struct gpu_executor **executor)
{
    struct gpu_executor *old = *executor;
    if (!old)
        return;
    struct gpu *gpu = old->gpu;
    kst_gpu_profile_drop(gpu);
    while (old->idle) {
        struct gpu_lane *lane = old->idle;
        old->idle = lane->next;
        release_lane(old, lane);
    }
    while (old->pinned_count > 0)
        kst_gpu_pool_give(&old->pool, &old->pinned[--old->pinned_count]);
    kst_memory_release(gpu->memory, old->pinned);
    kst_gpu_pool_destroy(&old->pool);
    kst_gpu_modules_release(gpu, &old->built);
    pthread_mutex_destroy(&old->build_lock);
    pthread_mutex_destroy(&old->lock);
    kst_memory_release(gpu->memory, old);
    kst_gpu_close(&gpu);
    *executor = NULL;
}

static struct gpu_lane *make_lane(struct gpu_executor *executor, struct gpu_error *error)
{
    struct gpu *gpu = executor->gpu;
    struct gpu_lane *lane = kst_memory_zeroed(gpu->memory, 1, sizeof *lane, &error->status);
    if (!lane)
        return NULL;
    lane->urgent.gpu = gpu; /* the queue is destroyed even if it was never made */
    bool made = gpu->backend->queue_create(gpu, false, &lane->queue, error) &&
                (!gpu->backend->urges || gpu->backend->queue_create(gpu, true, &lane->urgent, error));
    for (int i = 0; made && i < LANE_EVENTS; i++)
        made = gpu->backend->event_create(gpu, &lane->event[i], error);
    if (made)
        return lane;
    release_lane(executor, lane);
    return NULL;
}

struct gpu_lane *kst_gpu_lane_take(struct gpu_executor *executor, struct gpu_error *error)
{
    pthread_mutex_lock(&executor->lock);
    struct gpu_lane *lane = executor->idle;
    if (lane)
        executor->idle = lane->next;
    pthread_mutex_unlock(&executor->lock);
    return lane ? lane : make_lane(executor, error);
}

/*
 * The lane's events have passed, and whoever takes it next records them anew without the lock, so nobody may still wait
 * for them.
 */
static void forget_events(struct gpu_executor *executor, const struct gpu_lane *lane)
{
    pthread_mutex_lock(&executor->lock);
    for (const struct gpu_built *built = executor->built; built; built = built->next)
        if (built->module->forget)
            built->module->forget(built->state, lane);
    pthread_mutex_unlock(&executor->lock);
}

void kst_gpu_lane_give(struct gpu_executor *executor, struct gpu_lane *lane)
{
    if (!lane)
        return;
    forget_events(executor, lane);
    if (lane->queue.error.status != KST_OK || lane->urgent.error.status != KST_OK) {
        release_lane(executor, lane);
        return;
    }
    pthread_mutex_lock(&executor->lock);
    lane->next = executor->idle;
    executor->idle = lane;
    pthread_mutex_unlock(&executor->lock);
}
