/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a device that is ready for work: the modules built for it, its pool of buffers, and the tracks (queues with
 * events) that threads borrow. Each context that uses a GPU has one.
 */
#ifndef KOSTKA_DEVICE_RUNTIME_H
#define KOSTKA_DEVICE_RUNTIME_H

#include "core/pool.h"
#include "core/shared.h"
#include "device/lent.h"
#include "device/module.h"
#include "device/pool.h"

enum { TRACK_EVENTS = 16 };

/* Holds queues and their events; one operation uses them at a time. */
struct gpu_track {
    struct gpu_track *next;
    struct gpu_queue queue;
    struct gpu_queue urgent; /* takes the last steps of work started in `queue`; if the driver supports urgent queues */
    struct gpu_event event[TRACK_EVENTS];
};

struct gpu_runtime {
    struct gpu *gpu;
    struct pool *threads; /* borrowed threads that copy from and to pinned memory; null: the caller's thread copies */
    struct gpu_pool pool;
    pthread_mutex_t build_lock; /* held while a module is searched for or built */
    pthread_mutex_t lock;       /* guards the members below and, where modules say so, their states */
    struct gpu_built *built;    /* list of modules; one is added only under both locks */
    struct gpu_track *idle;
    pthread_mutex_t lent_lock;      /* guards the lists below */
    struct gpu_lent pinned, images; /* pinned memory, and images in device memory, that were lent to the caller */
};

/* Open the device and make a runtime for it. Results as kst_gpu_open(). */
kst_status kst_gpu_runtime_create(
    struct memory *memory, const char *name, struct gpu_runtime **runtime, struct gpu_error *error);
/* Make one in the caller's cl_context; the results are those of kst_gpu_open_opencl(). */
kst_status kst_gpu_runtime_create_opencl(
    struct memory *memory, void *context, void *device, struct gpu_runtime **runtime, struct gpu_error *error);
void kst_gpu_runtime_destroy(struct gpu_runtime **runtime); /* null allowed */

/* Borrow a track whose queues are empty; null on failure. */
KST_SHARED struct gpu_track *kst_gpu_track_take(struct gpu_runtime *runtime, struct gpu_error *error);
/* Give a track back whose queues have finished. Null is allowed. */
KST_SHARED void kst_gpu_track_give(struct gpu_runtime *runtime, struct gpu_track *track);

#endif
