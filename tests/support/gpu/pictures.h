/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what tests of decoding on the devices share: runtimes, a context on the CPU, pictures to compare. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_PICTURES_H
#define KOSTKA_TESTS_SUPPORT_GPU_PICTURES_H

#include "core/context.h"
#include "device/runtime.h"
#include "support/gpu/gpus.h"

extern kst_context *cpu; /* one thread */
extern struct gpu_runtime *runtimes[MOST_GPUS];
extern struct memory memory;

int open_pictures(void **state);
int close_pictures(void **state);

/*
 * Make new runtimes, and so new buffers, on the simulator, which takes the contents of a reused buffer for
 * uninitialised.
 */
void renew_runtimes(void);

/* Compare two pictures of the same shape; the test fails with the name if they differ. */
void expect_same_picture(const char *name, const kst_image *wanted, const kst_image *found);
void poison_picture(const kst_image *image);

#endif
