/* SPDX-License-Identifier: BSD-2-Clause */
/* The context's GPU: how it is opened, and whether work goes there. */
#ifndef KOSTKA_RUN_DEVICE_H
#define KOSTKA_RUN_DEVICE_H

#include <kostka/kostka_device.h>

#include "core/context.h"
#include "device/pinned.h"

/*
 * Open the GPU that the context's caller asks for: of the options' OpenCL context, or of that name. A failure is
 * logged.
 */
kst_status kst_context_open_gpu(struct kst_context *context, const kst_context_options *options, const char *name);

/*
 * Null: the context works on the CPU. With the device "auto" the best GPU there is is opened now, if there is one; from
 * then on the answer stays.
 */
struct gpu_executor *kst_context_gpu(struct kst_context *context);

/*
 * Likewise for work that would keep one thread of the CPU busy for so long. With "auto": null where that is less than
 * `least`, or all such work together too little to be worth opening it.
 */
struct gpu_executor *kst_context_gpu_for(struct kst_context *context, double seconds, double least);

/* Whether work may ever go to a GPU. */
bool kst_context_is_cpu(struct kst_context *context);

#endif
