/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the recording of all work that is queued on a device. While it is recorded, the device uses another table of
 * functions, which calls the driver's functions but records an event before and after each piece of work.
 */
#ifndef KOSTKA_DEVICE_TIMING_H
#define KOSTKA_DEVICE_TIMING_H

#include <kostka/kostka_profile.h>

#include "device/device.h"

/* Start to record. KST_ERROR_STATE if the device is being recorded already. */
kst_status kst_gpu_timing_begin(struct gpu *gpu, struct gpu_error *error);

/* Let the recorded work begin without a delay, so that the record shows when the device waits for the host. */
void kst_gpu_timing_at_once(struct gpu *gpu);

/* End the record as kst_profile_end() does. */
kst_status kst_gpu_timing_end(struct gpu *gpu, void (*tell)(void *user, const kst_step *step), void *user);

/* End a record without reporting it. Does nothing if the device is not being recorded. */
void kst_gpu_timing_drop(struct gpu *gpu);

/* Measure copies as kst_measure_copies() does. */
kst_status kst_gpu_measure_copies(
    struct gpu *gpu, size_t length, uint32_t count, kst_copy_times *times, struct gpu_error *error);

#endif
