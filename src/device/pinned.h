/* SPDX-License-Identifier: BSD-2-Clause */
/* Pinned memory that was given to the caller: kept track of, so that copies know it again. */
#ifndef KOSTKA_DEVICE_PINNED_H
#define KOSTKA_DEVICE_PINNED_H

#include "device/executor.h"

/* Null where that failed. Thread-safe, as the others. */
uint8_t *kst_gpu_pinned_take(struct gpu_executor *executor, size_t length, struct gpu_error *error);
void kst_gpu_pinned_give(struct gpu_executor *executor, void *memory); /* what was not taken here is left alone */

/* Whether the device can copy from and to all of this memory directly: taken here, or known to the driver as pinned. */
bool kst_gpu_is_pinned(struct gpu_executor *executor, const void *memory, size_t length);

#endif
