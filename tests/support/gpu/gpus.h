/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the devices that the tests run on: all there are, or those that KOSTKA_TEST_DEVICES names, separated by spaces.
 */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_GPUS_H
#define KOSTKA_TESTS_SUPPORT_GPU_GPUS_H

#include "device/device.h"

enum { MOST_GPUS = 16 };

extern struct gpu *gpus[MOST_GPUS];
extern uint32_t gpu_count;

/* Opens them; the program exits with 77 where there are none. */
int open_gpus(void **state);
int close_gpus(void **state);

/* Set if the device is simulated, which is slow and complains about calls that are meant to fail. */
bool simulated(void);

/* The test fails, with the error's text, unless there was none. */
void expect_no_error(const struct gpu_error *error);

#endif
