/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares lists of the buffers of work that was left to the caller's stream. They go back to the pool once the stream
 * has passed an event behind that work. Later calls test for that; nobody waits.
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
/* Release all buffers; the driver defers that for buffers still in use until the work is done. */
void kst_filter_gpu_left_end(struct filter_gpu_left *left, struct memory *memory);

/*
 * Make a lot, which holds the buffers of one call, before the work is queued, so that leaving it cannot fail. Returns
 * null on failure.
 */
struct filter_gpu_lot *kst_filter_gpu_lot_make(struct gpu_runtime *runtime, struct gpu_error *error);
void kst_filter_gpu_lot_drop(struct gpu_runtime *runtime, struct filter_gpu_lot *lot); /* null allowed */

/* Leave a lot's buffers to the work that the queue holds now. Thread-safe. */
void kst_filter_gpu_leave(struct filter_gpu_left *left, struct gpu_queue *queue, struct filter_gpu_lot *lot);
/* Give back the buffers whose work is done. Thread-safe. */
void kst_filter_gpu_left_collect(struct filter_gpu_left *left, struct gpu_runtime *runtime);

#endif
