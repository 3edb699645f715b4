/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads device names as the caller writes them, and describes the CPU as a device. */
#ifndef KOSTKA_CORE_DEVICE_H
#define KOSTKA_CORE_DEVICE_H

#include "core/cpu.h"

/*
 * Find the kind of device that a name stands for: "auto" (which counts as the CPU here), "cpu", "cuda[:N]" or
 * "opencl[:N]". Fails with KST_ERROR_DEVICE_NAME if the name has another form.
 */
kst_status kst_device_kind_by_name(const char *name, kst_device_kind *kind);

/* Return how many GPUs of a kind there are. Drivers of other kinds are not loaded, because loading them takes long. */
uint32_t kst_device_count_of(kst_device_kind kind);

void kst_device_describe_cpu(kst_device_info *info, enum cpu_tier tier);

#endif
