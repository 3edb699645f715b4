/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares lists of buffers that were lent to callers, sorted so that the buffer at an address is found quickly. */
#ifndef KOSTKA_DEVICE_LENT_H
#define KOSTKA_DEVICE_LENT_H

#include "device/device.h"

/*
 * Holds the buffers in leaves of some dozens, so that adding or removing one moves some kilobytes at most: a batch
 * lends a thousand images from several threads, which wait for each other meanwhile.
 */
struct gpu_lent {
    struct gpu_lent_leaf **leaf; /* no leaf is empty; sorted, like the buffers in them, by kst_gpu_lent_address() */
    uint32_t count, capacity;    /* of leaves */
};

/* Return the address of host memory, or the driver's handle of device memory. */
static inline uintptr_t kst_gpu_lent_address(const struct gpu_buffer *buffer)
{
    return buffer->host ? (uintptr_t)buffer->host : buffer->handle;
}

/* Add a buffer. Returns false and sets the status if there is no memory for the list. */
bool kst_gpu_lent_add(
    struct gpu_lent *lent, struct memory *memory, const struct gpu_buffer *buffer, kst_status *status);

/* Return the buffer that contains an address; null if there is none. The pointer is valid until the list changes. */
const struct gpu_buffer *kst_gpu_lent_find(const struct gpu_lent *lent, uintptr_t address);

/* Remove the buffer that begins at an address; *buffer receives it. Returns false if there is none. */
bool kst_gpu_lent_remove(struct gpu_lent *lent, struct memory *memory, uintptr_t address, struct gpu_buffer *buffer);

/* Remove the last buffer; *buffer receives it. Returns false if there is none. */
bool kst_gpu_lent_remove_last(struct gpu_lent *lent, struct memory *memory, struct gpu_buffer *buffer);

/* Forget all buffers. */
void kst_gpu_lent_release(struct gpu_lent *lent, struct memory *memory);

#endif
