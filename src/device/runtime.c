/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a device ready for work, and lends its queues to threads. */
#include "device/runtime.h"

#include "core/brief.h"
#include "device/timing.h"

/* Make a runtime for an open device, which is closed on failure. */
static kst_status create(struct memory *memory, struct gpu *gpu, struct gpu_runtime **runtime, struct gpu_error *error)
{
    struct gpu_runtime *made = kst_memory_zeroed(memory, 1, sizeof *made, &error->status);
    if (!made) {
        kst_gpu_close(&gpu);
        return error->status;
    }
    made->gpu = gpu;
    kst_gpu_pool_create(&made->pool, gpu);
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->build_lock, NULL);
    kst_brief_mutex_init(&made->lent_lock);
    *runtime = made;
    return KST_OK;
}

kst_status kst_gpu_runtime_create(
    struct memory *memory, const char *name, struct gpu_runtime **runtime, struct gpu_error *error)
{
    struct gpu *gpu;
    kst_status status = kst_gpu_open(memory, name, &gpu, error);
    return status ? status : create(memory, gpu, runtime, error);
}

kst_status kst_gpu_runtime_create_opencl(
    struct memory *memory, void *context, void *device, struct gpu_runtime **runtime, struct gpu_error *error)
{
    struct gpu *gpu;
    kst_status status = kst_gpu_open_opencl(memory, context, device, &gpu, error);
    return status ? status : create(memory, gpu, runtime, error);
}

static void release_track(struct gpu_runtime *runtime, struct gpu_track *track)
{
    struct gpu *gpu = runtime->gpu;
    for (int i = 0; i < TRACK_EVENTS; i++)
        gpu->backend->event_destroy(gpu, &track->event[i]);
    gpu->backend->queue_destroy(&track->queue);
    gpu->backend->queue_destroy(&track->urgent);
    kst_memory_release(gpu->memory, track);
}

void kst_gpu_runtime_destroy(struct gpu_runtime **runtime)
{
    struct gpu_runtime *old = *runtime;
    if (!old)
        return;
    struct gpu *gpu = old->gpu;
    kst_gpu_timing_drop(gpu);
    while (old->idle) {
        struct gpu_track *track = old->idle;
        old->idle = track->next;
        release_track(old, track);
    }
    struct gpu_buffer pinned;
    while (kst_gpu_lent_remove_last(&old->pinned, gpu->memory, &pinned))
        kst_gpu_pool_give(&old->pool, &pinned);
    kst_gpu_lent_release(&old->pinned, gpu->memory);
    kst_gpu_lent_release(&old->images, gpu->memory);
    pthread_mutex_destroy(&old->lent_lock);
    kst_gpu_pool_destroy(&old->pool);
    kst_gpu_modules_release(gpu, &old->built);
    pthread_mutex_destroy(&old->build_lock);
    pthread_mutex_destroy(&old->lock);
    kst_memory_release(gpu->memory, old);
    kst_gpu_close(&gpu);
    *runtime = NULL;
}

static struct gpu_track *make_track(struct gpu_runtime *runtime, struct gpu_error *error)
{
    struct gpu *gpu = runtime->gpu;
    struct gpu_track *track = kst_memory_zeroed(gpu->memory, 1, sizeof *track, &error->status);
    if (!track)
        return NULL;
    track->urgent.gpu = gpu; /* the queue is destroyed even if it was never made */
    bool made = gpu->backend->queue_create(gpu, false, &track->queue, error) &&
                (!gpu->backend->urges || gpu->backend->queue_create(gpu, true, &track->urgent, error));
    for (int i = 0; made && i < TRACK_EVENTS; i++)
        made = gpu->backend->event_create(gpu, &track->event[i], error);
    if (made)
        return track;
    release_track(runtime, track);
    return NULL;
}

struct gpu_track *kst_gpu_track_take(struct gpu_runtime *runtime, struct gpu_error *error)
{
    pthread_mutex_lock(&runtime->lock);
    struct gpu_track *track = runtime->idle;
    if (track)
        runtime->idle = track->next;
    pthread_mutex_unlock(&runtime->lock);
    return track ? track : make_track(runtime, error);
}

/*
 * Let all modules forget the track's events. The events have passed, and the thread that takes the track next records
 * them again without the lock, so nobody may still wait for them.
 */
static void forget_events(struct gpu_runtime *runtime, const struct gpu_track *track)
{
    pthread_mutex_lock(&runtime->lock);
    for (const struct gpu_built *built = runtime->built; built; built = built->next)
        if (built->module->forget)
            built->module->forget(built->state, track);
    pthread_mutex_unlock(&runtime->lock);
}

void kst_gpu_track_give(struct gpu_runtime *runtime, struct gpu_track *track)
{
    if (!track)
        return;
    forget_events(runtime, track);
    if (track->queue.error.status || track->urgent.error.status) {
        release_track(runtime, track);
        return;
    }
    pthread_mutex_lock(&runtime->lock);
    track->next = runtime->idle;
    runtime->idle = track;
    pthread_mutex_unlock(&runtime->lock);
}
