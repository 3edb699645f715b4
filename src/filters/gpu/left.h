/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the buffers of work that was left to the caller's stream. They go back to the pool once the stream has
 * passed an event behind that work, which later calls look at; nobody waits.
 */
#ifndef KOSTKA_FILTERS_GPU_LEFT_H
#define KOSTKA_FILTERS_GPU_LEFT_H

#include <pthread.h>

#include "device/runtime.h"

enum { FILTER_LEFT_BUFFERS = 3 };

struct filter_gpu_lot {
    struct filter_gpu_lot *next;
    struct gpu *gpu;
    struct gpu_event event;
    struct gpu_buffer buffer[FILTER_LEFT_BUFFERS];
};

struct filter_gpu_left {
    pthread_mutex_t lock; /* guards the list */
    struct filter_gpu_lot *first;
};

void kst_filter_gpu_left_begin(struct filter_gpu_left *left);
/* The driver releases what is still in use when its work is done. */
void kst_filter_gpu_left_end(struct filter_gpu_left *left, struct memory *memory);

/* Make a lot before the work is queued, so that leaving it cannot fail; null on failure. */
struct filter_gpu_lot *kst_filter_gpu_lot_make(struct gpu_runtime *runtime, struct gpu_error *error);
void kst_filter_gpu_lot_drop(struct gpu_runtime *runtime, struct filter_gpu_lot *lot); /* null allowed */

/* Leave buffers to the work that the queue holds now. Thread-safe. */
void kst_filter_gpu_leave(struct filter_gpu_left *left, struct gpu_queue *queue, struct filter_gpu_lot *lot);
/* Give the buffers back whose work is done. Thread-safe. */
void kst_filter_gpu_left_collect(struct filter_gpu_left *left, struct gpu_runtime *runtime);

#endif
