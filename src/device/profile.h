/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record of all that is queued on a device. While it is made, the device has a table of functions of its own: the
 * driver's, but what queues work records an event before and behind it.
 */
#ifndef KOSTKA_DEVICE_PROFILE_H
#define KOSTKA_DEVICE_PROFILE_H

#include <kostka/kostka_profile.h>

#include "device/device.h"

/* Start to record. KST_ERROR_STATE where that is going on. */
kst_status kst_gpu_profile_begin(struct gpu *gpu, struct gpu_error *error);

/* As kst_profile_end(). */
kst_status kst_gpu_profile_end(struct gpu *gpu, void (*tell)(void *user, const kst_step *step), void *user);

/* Without telling; nothing where none is recorded. */
void kst_gpu_profile_drop(struct gpu *gpu);

/* As kst_measure_copies(). */
kst_status kst_gpu_measure_copies(
    struct gpu *gpu, size_t length, uint32_t count, kst_copy_times *times, struct gpu_error *error);

#endif
