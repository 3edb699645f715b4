/* SPDX-License-Identifier: BSD-2-Clause */
/* A device ready for work: the modules built for it, its pool of buffers, and queues that threads borrow. */
#ifndef KOSTKA_DEVICE_EXECUTOR_H
#define KOSTKA_DEVICE_EXECUTOR_H

#include "core/pool.h"
#include "device/module.h"
#include "device/pool.h"

enum { LANE_EVENTS = 16 };

/* Queues with what goes with them; one operation's at a time. */
struct gpu_lane {
    struct gpu_lane *next;
    struct gpu_queue queue;
    struct gpu_queue urgent; /* if the driver urges: for the last steps of what started in the other one */
    struct gpu_event event[LANE_EVENTS];
};

struct gpu_executor {
    struct gpu *gpu;
    struct pool *threads; /* borrowed: they copy from and to pinned memory; null: the caller's thread does */
    struct gpu_pool pool;
    pthread_mutex_t build_lock; /* while a module is looked for or built */
    pthread_mutex_t lock;       /* of what follows, and where they say so of modules' states */
    struct gpu_built *built;    /* modules; added under both locks */
    struct gpu_lane *idle;
    struct gpu_buffer *pinned; /* that the caller has */
    uint32_t pinned_count, pinned_capacity;
};

/* Opens the device. Results as kst_gpu_open(). */
kst_status kst_gpu_executor_create(
    struct memory *memory, const char *name, struct gpu_executor **executor, struct gpu_error *error);
/* Likewise, in a cl_context of the caller's: as kst_gpu_open_opencl(). */
kst_status kst_gpu_executor_create_opencl(
    struct memory *memory, void *context, void *device, struct gpu_executor **executor, struct gpu_error *error);
void kst_gpu_executor_destroy(struct gpu_executor **executor); /* null allowed */

/* Borrow a lane whose queue is empty; null where that failed. */
struct gpu_lane *kst_gpu_lane_take(struct gpu_executor *executor, struct gpu_error *error);
/* Give it back, its queue finished. Null allowed. */
void kst_gpu_lane_give(struct gpu_executor *executor, struct gpu_lane *lane);

#endif
