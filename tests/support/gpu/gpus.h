/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the devices that the tests run on: all devices, or those that KOSTKA_TEST_DEVICES names, separated by spaces.
 */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_GPUS_H
#define KOSTKA_TESTS_SUPPORT_GPU_GPUS_H

#include "device/device.h"

enum { MOST_GPUS = 16 };

extern struct gpu *gpus[MOST_GPUS];
extern uint32_t gpu_count;

/* Open the devices. The program exits with 77 where there are none. */
int open_gpus(void **state);
int close_gpus(void **state);

/* Return whether the device is simulated. The simulator is slow, and complains about calls that are meant to fail. */
bool simulated(void);

/* Let the test fail with the error's text if there was an error. */
void expect_no_error(const struct gpu_error *error);

#endif
