/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of devices. */
#ifndef KOSTKA_CORE_DEVICE_H
#define KOSTKA_CORE_DEVICE_H

#include <kostka/kostka.h>

/*
 * Find the device that a name means: "auto", "cpu", "cuda[:N]", "opencl[:N]". KST_ERROR_DEVICE_NAME where the name has
 * another form, KST_ERROR_DEVICE_MISSING where there is no such device.
 */
kst_status kst_device_by_name(const char *name, kst_device_kind *kind);

#endif
