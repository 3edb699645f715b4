/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures how fast a device copies. */
#ifndef KOSTKA_TOOL_COPIES_H
#define KOSTKA_TOOL_COPIES_H

#include <kostka/kostka_profile.h>

enum { COPIES_COUNT = 7 /* a time is the median of as many copies */ };

/*
 * Measure copies of as many bytes as a GPU copies in a quarter of a second, all copies together, which is more than its
 * caches hold; of a few if OpenCL drives a CPU, which has no bus whose rate would matter. `length` receives the number
 * of bytes, from 4 to 256 MB: `length` divided by one of `times` is a rate. Returns KST_ERROR_STATE if the context
 * works without a device, or the status of kst_measure_copies().
 */
kst_status copies_measure(kst_context *context, size_t *length, kst_copy_times *times);

#endif
