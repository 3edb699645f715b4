/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a list of the pinned memory that was lent to callers, so that copies recognise it. */
#ifndef KOSTKA_DEVICE_PINNED_H
#define KOSTKA_DEVICE_PINNED_H

#include "device/runtime.h"

/* Lend pinned memory; null on failure. All functions here are thread-safe. */
uint8_t *kst_gpu_pinned_take(struct gpu_runtime *runtime, size_t length, struct gpu_error *error);
/* Take lent memory back. Memory that was not lent here is left alone. */
void kst_gpu_pinned_give(struct gpu_runtime *runtime, void *memory);

/*
 * Return whether the device can copy from and to all of this memory directly, because it was taken here or the driver
 * knows it to be pinned.
 */
bool kst_gpu_is_pinned(struct gpu_runtime *runtime, const void *memory, size_t length);

#endif
