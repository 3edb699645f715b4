/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets calls of a device's driver fail. */
#include "support/gpu/broken_device.h"

struct broken_device broken_device;

static bool fails(struct gpu_error *error, const struct gpu *gpu, const char *call)
{
    const int number = atomic_fetch_add(&broken_device.calls, 1) + 1, failing = atomic_load(&broken_device.failing);
    if (number != failing && failing != ALL_CALLS)
        return false;
    kst_gpu_fail(error, gpu, call, "injected");
    return true;
}

static bool broken_allocate(
    struct gpu *gpu, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    *buffer = (struct gpu_buffer){.place = place};
    return !fails(error, gpu, "allocate") && broken_device.driver->allocate(gpu, place, length, buffer, error);
}

static bool broken_queue_create(struct gpu *gpu, bool urgent, struct gpu_queue *queue, struct gpu_error *error)
{
    *queue = (struct gpu_queue){.gpu = gpu};
    return !fails(error, gpu, "queue_create") && broken_device.driver->queue_create(gpu, urgent, queue, error);
}

static bool broken_event_create(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error)
{
    return !fails(error, gpu, "event_create") && broken_device.driver->event_create(gpu, event, error);
}

static void broken_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length)
{
    if (!fails(&queue->error, queue->gpu, "copy"))
        broken_device.driver->copy(queue, to, to_offset, from, from_offset, length);
}

static void broken_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    if (!fails(&queue->error, queue->gpu, "launch"))
        broken_device.driver->launch(queue, kernel, groups, arguments, count);
}

static void broken_finish(struct gpu_queue *queue)
{
    broken_device.driver->finish(queue);
    fails(&queue->error, queue->gpu, "finish");
}

void fail_calls(int failing)
{
    atomic_store(&broken_device.calls, 0);
    atomic_store(&broken_device.failing, failing);
}

void watch_device(struct gpu *gpu)
{
    fail_calls(NO_CALLS);
    broken_device.driver = gpu->backend;
    broken_device.backend = *gpu->backend;
    broken_device.backend.allocate = broken_allocate;
    broken_device.backend.queue_create = broken_queue_create;
    broken_device.backend.event_create = broken_event_create;
    broken_device.backend.copy = broken_copy;
    broken_device.backend.launch = broken_launch;
    broken_device.backend.finish = broken_finish;
    gpu->backend = &broken_device.backend;
}

void break_device(struct gpu *gpu, int failing)
{
    watch_device(gpu);
    fail_calls(failing);
}

void mend_device(struct gpu *gpu)
{
    gpu->backend = broken_device.driver;
}
