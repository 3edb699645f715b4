/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the weights of an axis in the form that kernels read, and a cache of those used last: most images are
 * resized like the ones before them, and computing weights takes a thread longer than resizing takes a GPU.
 */
#ifndef KOSTKA_RESIZE_GPU_AXIS_H
#define KOSTKA_RESIZE_GPU_AXIS_H

#include <pthread.h>

#include "device/device.h"
#include "resize/plan.h"

/* Holds everything that the weights of an axis depend on. */
struct resize_gpu_axis_key {
    struct resize_axis axis;
    kst_resize_filter filter;
    bool wide; /* samples have more than 8 bits */
    bool down; /* the axis is the vertical one */
};

struct resize_gpu_axis {
    struct resize_gpu_axis *alike;         /* the next axis in the list that the key belongs to */
    struct resize_gpu_axis *newer, *older; /* the axes taken after this one, and before it */
    struct resize_gpu_axis_key key;
    uint64_t serial;         /* differs from that of every other axis that there has been */
    uint32_t uses;           /* the number of uses by jobs in flight */
    struct resize_span span; /* the samples that are needed; windows are counted from the first of them */
    uint32_t quads;          /* the most quads of weights of a sample */
    uint32_t reach;          /* horizontally: the most quads of samples that the columns of a work-group need */
    uint32_t *words; /* windows, followed from word `weights` on by quads, as resize/kernels/work.h describes them */
    uint32_t weights, length;
};

enum { RESIZE_AXIS_LISTS = 256, RESIZE_KEPT_AXES = 8 };

/* Describes the work of a job as far as the axes in it depend on it; see kept.h. */
struct resize_gpu_work_key {
    uint32_t steps, axes;
    uint64_t serial[RESIZE_KEPT_AXES];
};

/* Holds axes in the order in which they were taken, and in lists by a hash of their keys. */
struct resize_gpu_axes {
    pthread_mutex_t lock; /* guards the members below, and those of axes that are used here */
    struct resize_gpu_axis *newest, *oldest, *list[RESIZE_AXIS_LISTS];
    uint32_t unused;        /* axes that no job uses, */
    uint64_t unused_words;  /* and their words */
    uint64_t serial;        /* of the axis made last */
    struct gpu *gpu;        /* the device of `kept` */
    struct gpu_buffer kept; /* work of a job; its length is 0 if there is none */
    struct resize_gpu_work_key kept_key;
};

void kst_resize_gpu_axes_begin(struct resize_gpu_axes *axes);
void kst_resize_gpu_axes_end(struct resize_gpu_axes *axes, struct memory *memory);

/*
 * Take an axis from the cache, or make it. The axis comes from `memory`; temporary memory counts against the limit of
 * `work`. KST_ERROR_MEMORY, KST_ERROR_LIMIT_MEMORY. Thread-safe.
 */
kst_status kst_resize_gpu_axis_take(struct resize_gpu_axes *axes, struct memory *memory, struct memory *work,
    const struct resize_gpu_axis_key *key, struct resize_gpu_axis **axis);
/* Give an axis back; null is allowed. Thread-safe. */
void kst_resize_gpu_axis_give(struct resize_gpu_axes *axes, struct resize_gpu_axis *axis);
/* Release the axes that have been unused longest, if there are too many. Thread-safe. */
void kst_resize_gpu_axes_trim(struct resize_gpu_axes *axes, struct memory *memory);

#endif
