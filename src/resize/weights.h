/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the weights of the source samples from which a sample of a resized image is made. */
#ifndef KOSTKA_RESIZE_WEIGHTS_H
#define KOSTKA_RESIZE_WEIGHTS_H

#include "core/memory.h"
#include "resize/geometry.h"

enum {
    RESIZE_BITS = 22,      /* fractional bits of weights, for samples of up to 8 bits */
    RESIZE_BITS_WIDE = 30, /* the same for more bits */
    RESIZE_GROUP = 8 /* the number of weights of a sample is a multiple of this; weights behind its window are 0 */
};

/* Describes the neighbouring source samples from which one sample is made. */
struct resize_window {
    uint32_t first;
    uint32_t length; /* at least 1 */
};

/* Holds the weights of all samples of an axis. The windows of ascending samples begin and end in ascending order. */
struct resize_weights {
    uint32_t count; /* samples to make */
    uint32_t most;  /* room for weights of each sample */
    struct resize_window *window;
    int32_t *weight; /* `most` for each sample */
};

/* Holds the columns, or rows, of an image that are needed. */
struct resize_span {
    uint32_t first;
    uint32_t count;
};

/* Return the source samples that an axis needs. */
struct resize_span kst_resize_needed(const struct resize_axis *axis, kst_resize_filter filter);

/*
 * Allocate and compute the weights of an axis, with `bits` bits behind the point. KST_ERROR_MEMORY,
 * KST_ERROR_LIMIT_MEMORY.
 */
kst_status kst_resize_weights_make(struct memory *memory, const struct resize_axis *axis, kst_resize_filter filter,
    int bits, struct resize_weights *weights);
void kst_resize_weights_drop(struct memory *memory, struct resize_weights *weights);

static inline const int32_t *kst_resize_weights_of(const struct resize_weights *weights, uint32_t index)
{
    return weights->weight + (size_t)index * weights->most;
}

#endif
