/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets calls of a device's driver fail. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_BROKEN_DEVICE_H
#define KOSTKA_TESTS_SUPPORT_GPU_BROKEN_DEVICE_H

#include <stdatomic.h>

#include "device/device.h"

enum { ALL_CALLS = -1 };

/* The functions of the device that is broken. */
struct broken_device {
    struct gpu_backend backend;
    const struct gpu_backend *driver;
    atomic_int calls; /* so far */
    int failing;      /* the call that fails; or ALL_CALLS */
};
extern struct broken_device broken_device;

/* One device at a time: let the n-th call from now on fail, or all. The error's text has "injected". */
void break_device(struct gpu *gpu, int failing);
void mend_device(struct gpu *gpu);

#endif
