/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures how fast a device copies. */
#ifndef KOSTKA_TOOL_COPIES_H
#define KOSTKA_TOOL_COPIES_H

#include <kostka/kostka_profile.h>

enum { COPIES_COUNT = 7 /* a time is the median of as many copies */ };

/*
 * Measure copies of as many bytes as the device copies in a quarter of a second, all copies together. `length` receives
 * that number, from 4 to 256 MB: `length` divided by one of `times` is a rate. A GPU's caches hold less; a CPU that
 * OpenCL drives has no bus whose rate would matter. Returns KST_ERROR_STATE if the context works without a device, or
 * the status of kst_measure_copies().
 */
kst_status copies_measure(kst_context *context, size_t *length, kst_copy_times *times);

#endif
