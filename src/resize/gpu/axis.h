/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the weights of an axis in the form that kernels read, and a list of those that were used last: most images
 * are resized as the ones before them, and weights take a thread longer than resizing takes a GPU.
 */
#ifndef KOSTKA_RESIZE_GPU_AXIS_H
#define KOSTKA_RESIZE_GPU_AXIS_H

#include <pthread.h>

#include "resize/plan.h"

/* Holds what the weights of an axis follow from. */
struct resize_gpu_axis_key {
    struct resize_axis axis;
    kst_resize_filter filter;
    bool wide; /* samples have more than 8 bits */
    bool down; /* the axis is that of the rows */
};

struct resize_gpu_axis {
    struct resize_gpu_axis *alike;         /* the next one in the list that its key belongs to */
    struct resize_gpu_axis *newer, *older; /* taken after this one, and before */
    struct resize_gpu_axis_key key;
    uint32_t uses;           /* by jobs that are under way */
    struct resize_span span; /* the samples that are needed; windows are counted from its first */
    uint32_t quads;          /* the most weights of a sample, by fours */
    uint32_t reach;          /* across: the most quads of samples that the columns of a group need */
    uint32_t *words;         /* windows, and quads from number `weights` on, as resize/kernels/work.h has them */
    uint32_t weights, length;
};

enum { RESIZE_AXIS_LISTS = 256 };

/* Holds axes in the order in which they were taken, and in lists by a number that is made of their keys. */
struct resize_gpu_axes {
    pthread_mutex_t lock; /* guards the members below, and those of axes that are used here */
    struct resize_gpu_axis *newest, *oldest, *list[RESIZE_AXIS_LISTS];
    uint32_t unused;       /* axes that no job uses, */
    uint64_t unused_words; /* and their words */
};

void kst_resize_gpu_axes_begin(struct resize_gpu_axes *axes);
void kst_resize_gpu_axes_end(struct resize_gpu_axes *axes, struct memory *memory);

/*
 * Take an axis from the list, or make it. What is kept comes from `memory`; what is needed meanwhile counts against the
 * limit of `work`. KST_ERROR_MEMORY, KST_ERROR_LIMIT_MEMORY. Thread-safe.
 */
kst_status kst_resize_gpu_axis_take(struct resize_gpu_axes *axes, struct memory *memory, struct memory *work,
    const struct resize_gpu_axis_key *key, struct resize_gpu_axis **axis);
/* Give an axis back; null is allowed. Thread-safe. */
void kst_resize_gpu_axis_give(struct resize_gpu_axes *axes, struct resize_gpu_axis *axis);
/* Release what has not been used for long. Thread-safe. */
void kst_resize_gpu_axes_trim(struct resize_gpu_axes *axes, struct memory *memory);

#endif
