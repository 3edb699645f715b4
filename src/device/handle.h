/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles that callers give, before a driver sees them. Drivers follow what they are given, and end the process where
 * it leads nowhere: a stream that was destroyed, or a number that never was one.
 */
#ifndef KOSTKA_DEVICE_HANDLE_H
#define KOSTKA_DEVICE_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_look {
    GPU_LOOK_READ,
    GPU_LOOK_NOTHING, /* not all of it is there to be read */
    GPU_LOOK_UNKNOWN, /* the system does not tell */
};

/* Copies `length` bytes from an address that may be any number. */
enum gpu_look kst_gpu_look(uintptr_t address, void *to, size_t length);

#endif
