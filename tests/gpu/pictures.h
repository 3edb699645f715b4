/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of decoding on the devices share: executors, a context on the CPU, pictures to compare. */
#ifndef KOSTKA_TESTS_PICTURES_H
#define KOSTKA_TESTS_PICTURES_H

#include "core/context.h"
#include "device/executor.h"
#include "gpus.h"

extern kst_context *cpu; /* one thread */
extern struct gpu_executor *executors[MOST_GPUS];
extern struct memory memory;

int open_pictures(void **state);
int close_pictures(void **state);

/* The simulator takes what is in a buffer that is used again for uninitialised: start anew there. */
void renew_executors(void);

/* Fails, with the name, where two pictures of the same shape differ. */
void expect_same_picture(const char *name, const kst_image *wanted, const kst_image *found);
void poison_picture(const kst_image *image);

#endif
