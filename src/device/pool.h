/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a pool of device and pinned buffers that are reused, so that in the long run nothing is allocated. */
#ifndef KOSTKA_DEVICE_POOL_H
#define KOSTKA_DEVICE_POOL_H

#include <pthread.h>

#include "core/shared.h"
#include "device/device.h"

struct gpu_pool {
    struct gpu *gpu;
    pthread_mutex_t lock;
    struct gpu_buffer *idle; /* `count` buffers, in no order */
    uint32_t count, capacity;
};

bool kst_gpu_pool_create(struct gpu_pool *pool, struct gpu *gpu);
void kst_gpu_pool_destroy(struct gpu_pool *pool);

/* Take a buffer of at least `length` bytes (and at least 1), with undefined contents. Thread-safe. */
KST_SHARED bool kst_gpu_pool_take(
    struct gpu_pool *pool, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error);

/* Give back a buffer that no queue works on any more, and clear it. Thread-safe. A cleared buffer is allowed. */
KST_SHARED void kst_gpu_pool_give(struct gpu_pool *pool, struct gpu_buffer *buffer);

#endif
