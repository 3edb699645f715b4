/* SPDX-License-Identifier: BSD-2-Clause */
/* The context's GPU. */
#ifndef KOSTKA_API_DEVICE_H
#define KOSTKA_API_DEVICE_H

#include <kostka/kostka_device.h>

#include "core/context.h"
#include "gpu/pinned.h"

/* Seconds that one thread of the CPU takes for a byte of entropy-coded data, all in all, and for a pixel to encode. */
#define KST_SECONDS_TO_DECODE 9.5e-9
#define KST_SECONDS_TO_ENCODE 5e-9

/*
 * Null: the context works on the CPU. With the device "auto" the best GPU there is is opened now, if there is one; from
 * then on the answer stays.
 */
struct gpu_executor *kst_context_gpu(struct kst_context *context);

/*
 * Likewise for work that would keep one thread of the CPU busy for so long. With "auto": null where that is too little
 * to be worth the way to the device, or all such work together too little to be worth opening it.
 */
struct gpu_executor *kst_context_gpu_for(struct kst_context *context, double seconds);

/* Whether work may ever go to a GPU. */
bool kst_context_is_cpu(struct kst_context *context);

#endif
