/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures how fast a device copies. */
#ifndef KOSTKA_TOOL_COPIES_H
#define KOSTKA_TOOL_COPIES_H

#include <kostka/kostka_profile.h>

enum { COPIES_COUNT = 7 /* number of copies, of which a time is the median */ };

/*
 * Measure the rates of copies. Together they take about a quarter of a second on a GPU, so that each is larger than its
 * caches; on a CPU that OpenCL drives they are small, because it has no bus whose rate would matter. `length` receives
 * the number of bytes, from 4 to 256 MB: `length` divided by one of `times` is a rate. Returns KST_ERROR_STATE if the
 * context works without a device, or the status of kst_measure_copies().
 */
kst_status copies_measure(kst_context *context, size_t *length, kst_copy_times *times);

#endif
