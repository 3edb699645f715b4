/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the context's device, opens GPUs, and decides whether work goes there. */
#ifndef KOSTKA_RUN_DEVICE_H
#define KOSTKA_RUN_DEVICE_H

#include <kostka/kostka_device.h>

#include "core/context.h"
#include "core/shared.h"
#include "device/pinned.h"

/*
 * Choose the context's device: "cpu", "auto", or a GPU, which is opened: that of the options' OpenCL context, or the
 * one with this name. A failure is logged. Leaving the device closes it; this does nothing if none was chosen.
 */
kst_status kst_context_choose(
    struct kst_context *context, const kst_context_options *options, const char *name, kst_device_kind kind);
void kst_context_leave_device(struct kst_context *context);

/*
 * Return whether the device is "auto": it is chosen when work comes, and is a GPU if there is one and enough work for
 * it.
 */
bool kst_context_is_automatic(const struct kst_context *context);

/* Describe the device that is in use. */
void kst_context_describe_device(const struct kst_context *context, kst_device_info *info);

/* Return the GPU that is open; null if the CPU is the device, for now or for good. */
struct gpu_runtime *kst_context_gpu_if_open(const struct kst_context *context);

/*
 * Return the context's GPU; null if the context works on the CPU. With the device "auto" this opens the best GPU, if
 * there is any; later calls return the same.
 */
KST_SHARED struct gpu_runtime *kst_context_gpu(struct kst_context *context);

/*
 * Do the same for work that would keep one thread of the CPU busy for `seconds`. With "auto" the result is null if that
 * is less than `least`, or if all such work so far is too little to be worth opening a GPU.
 */
struct gpu_runtime *kst_context_gpu_for(struct kst_context *context, double seconds, double least);

/*
 * Do the same for a part of the work of one call, which takes `all` seconds, at least as long as the part. `all`
 * decides.
 */
struct gpu_runtime *kst_context_gpu_for_part(struct kst_context *context, double seconds, double all, double least);

/*
 * Let the work whose steps are being recorded (kst_profile_begin()) begin without a delay, so that the record shows
 * when the device waits for the host.
 */
void kst_context_record_at_once(const struct kst_context *context);

/* Return whether the context works on the CPU only: no work can go to a GPU. */
bool kst_context_is_cpu(struct kst_context *context);

#endif
