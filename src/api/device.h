/* SPDX-License-Identifier: BSD-2-Clause */
/* The context's GPU. */
#ifndef KOSTKA_API_DEVICE_H
#define KOSTKA_API_DEVICE_H

#include <kostka/kostka_device.h>

#include "core/context.h"
#include "gpu/pinned.h"

/* Null: the context works on the CPU. */
struct gpu_executor *kst_context_gpu(struct kst_context *context);

#endif
