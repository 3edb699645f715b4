/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the weights of the samples that make a sample of a resized image. */
#ifndef KOSTKA_RESIZE_WEIGHTS_H
#define KOSTKA_RESIZE_WEIGHTS_H

#include "core/memory.h"
#include "resize/geometry.h"

enum {
    RESIZE_BITS = 22,      /* of weights behind the point, for samples of up to 8 bits */
    RESIZE_BITS_WIDE = 30, /* for more */
    RESIZE_GROUP = 8       /* weights of a sample are a multiple of this; those behind its window are 0 */
};

/* Holds the samples that make one, side by side. */
struct resize_window {
    uint32_t first;
    uint32_t length; /* at least 1 */
};

/* Windows of ascending samples begin and end in ascending order. */
struct resize_weights {
    uint32_t count; /* of samples to make */
    uint32_t most;  /* weights that there is room for, for each */
    struct resize_window *window;
    int32_t *weight; /* `most` for each sample */
};

/* Holds the columns, or rows, of an image that are needed. */
struct resize_span {
    uint32_t first;
    uint32_t count;
};

/* Return the samples that an axis needs. */
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
