/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets calls of a device's driver fail. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_BROKEN_DEVICE_H
#define KOSTKA_TESTS_SUPPORT_GPU_BROKEN_DEVICE_H

#include <stdatomic.h>

#include "device/device.h"

enum { ALL_CALLS = -1, NO_CALLS = 0 };

/* Holds the functions that replace those of the broken device. */
struct broken_device {
    struct gpu_backend backend;
    const struct gpu_backend *driver;
    atomic_int calls;   /* so far */
    atomic_int failing; /* the call that fails; or ALL_CALLS, or NO_CALLS */
};
extern struct broken_device broken_device;

/*
 * Let the n-th call of a device from now on fail, or all of them. Only one device can be broken at a time. The text of
 * the error contains "injected".
 */
void break_device(struct gpu *gpu, int failing);
void mend_device(struct gpu *gpu);

/*
 * These do the same where other threads use the device. watch_device() replaces the functions before any of them does;
 * from then on fail_calls() says which calls fail, and the functions stay until the device is closed.
 */
void watch_device(struct gpu *gpu);
void fail_calls(int failing);

#endif
