/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks handles that callers pass before a driver sees them. Drivers dereference a handle without checking it, and
 * crash the process if it is invalid: a stream that was destroyed, or a number that never was a handle.
 */
#ifndef KOSTKA_DEVICE_HANDLE_H
#define KOSTKA_DEVICE_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_look {
    GPU_LOOK_READ,
    GPU_LOOK_NOTHING, /* not all of the bytes can be read */
    GPU_LOOK_UNKNOWN, /* the system cannot tell */
};

/* Copy `length` bytes from an address that may be any number. */
enum gpu_look kst_gpu_look(uintptr_t address, void *to, size_t length);

#endif
