/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures how fast a device copies: from and to pinned and pageable host memory, and within its own memory. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/timing.h"

struct copies {
    struct gpu *gpu;
    size_t length;
    uint32_t count;
    double *seconds; /* `count` measurements */
    struct gpu_buffer pinned, plain, device[2];
    struct gpu_queue queue;
    struct gpu_event before, after;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(struct copies *copies)
{
    qsort(copies->seconds, copies->count, sizeof *copies->seconds, compare);
    return copies->seconds[copies->count / 2];
}

static double measure(struct copies *copies, const struct gpu_buffer *to, const struct gpu_buffer *from)
{
    const struct gpu_backend *backend = copies->gpu->backend;
    for (uint32_t i = 0; i <= copies->count; i++) {
        double start = now();
        backend->copy(&copies->queue, to, 0, from, 0, copies->length);
        backend->finish(&copies->queue);
        if (i > 0)
            copies->seconds[i - 1] = now() - start;
    }
    return median(copies);
}

static double measure_across(struct copies *copies)
{
    const struct gpu_backend *backend = copies->gpu->backend;
    for (uint32_t i = 0; i <= copies->count; i++) {
        backend->record(&copies->queue, &copies->before);
        backend->copy(&copies->queue, &copies->device[1], 0, &copies->device[0], 0, copies->length);
        backend->record(&copies->queue, &copies->after);
        backend->finish(&copies->queue);
        if (i > 0)
            copies->seconds[i - 1] = backend->elapsed(copies->gpu, &copies->before, &copies->after);
    }
    return median(copies);
}

static bool make(struct copies *copies, struct gpu_error *error)
{
    struct gpu *gpu = copies->gpu;
    const struct gpu_backend *backend = gpu->backend;
    copies->seconds = kst_memory_zeroed(gpu->memory, copies->count, sizeof *copies->seconds, &error->status);
    uint8_t *plain = kst_memory_zeroed(gpu->memory, copies->length, 1, &error->status);
    copies->plain = (struct gpu_buffer){.place = GPU_PINNED, .length = copies->length, .host = plain};
    return copies->seconds && plain && backend->queue_create(gpu, false, &copies->queue, error) &&
           backend->event_create(gpu, &copies->before, error) && backend->event_create(gpu, &copies->after, error) &&
           backend->allocate(gpu, GPU_PINNED, copies->length, &copies->pinned, error) &&
           backend->allocate(gpu, GPU_DEVICE, copies->length, &copies->device[0], error) &&
           backend->allocate(gpu, GPU_DEVICE, copies->length, &copies->device[1], error);
}

static void drop(struct copies *copies)
{
    struct gpu *gpu = copies->gpu;
    const struct gpu_backend *backend = gpu->backend;
    for (int i = 0; i < 2; i++)
        backend->release(gpu, &copies->device[i]);
    backend->release(gpu, &copies->pinned);
    backend->event_destroy(gpu, &copies->before);
    backend->event_destroy(gpu, &copies->after);
    if (copies->queue.gpu)
        backend->queue_destroy(&copies->queue);
    kst_memory_release(gpu->memory, copies->plain.host);
    kst_memory_release(gpu->memory, copies->seconds);
}

kst_status kst_gpu_measure_copies(
    struct gpu *gpu, size_t length, uint32_t count, kst_copy_times *times, struct gpu_error *error)
{
    struct copies copies = {.gpu = gpu, .length = length, .count = count};
    *error = (struct gpu_error){.status = KST_OK};
    if (make(&copies, error)) {
        memset(copies.pinned.host, 0x5A, length);
        memset(copies.plain.host, 0x5A, length);
        times->up = measure(&copies, &copies.device[0], &copies.pinned);
        times->down = measure(&copies, &copies.pinned, &copies.device[0]);
        times->up_pageable = measure(&copies, &copies.device[0], &copies.plain);
        times->down_pageable = measure(&copies, &copies.plain, &copies.device[0]);
        times->across = measure_across(&copies);
        *error = copies.queue.error;
    }
    drop(&copies);
    return error->status;
}
