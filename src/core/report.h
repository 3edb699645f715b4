/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how operations fill in the caller's kst_report: with one error, counted warnings, and times. */
#ifndef KOSTKA_CORE_REPORT_H
#define KOSTKA_CORE_REPORT_H

#include "core/shared.h"
#include <kostka/kostka.h>

#define KST_NO_OFFSET UINT64_MAX

/*
 * Record an error and return its status. The message is made of the status' text, ": " and the formatted detail (none
 * if null), and " (at byte N)" unless the offset is KST_NO_OFFSET. Only the first error of an operation is kept.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
KST_SHARED kst_status
kst_report_error(kst_report *report, kst_status status, uint64_t offset, const char *detail, ...);

/* Withdraw an error, because the operation goes on without the part that failed. Warnings stay. */
void kst_report_forgive(kst_report *report);

/*
 * Count `count` warnings, the earliest of them at `offset`. Returns KST_OK, or the warning itself if `strict` turns it
 * into an error.
 */
kst_status kst_report_warning(kst_report *report, kst_status warning, uint64_t offset, uint64_t count, bool strict);

/* Return the time of the monotonic clock, in seconds. */
KST_SHARED double kst_seconds(void);

/* Add the time since `start` to a stage that ran on `device`. */
KST_SHARED void kst_report_stage(kst_report *report, kst_stage stage, kst_device_kind device, double start);

/*
 * Add the report of resizing to that of decoding the same item: its error, if any, and the device and the time of
 * KST_STAGE_RESIZE.
 */
void kst_report_resizing(kst_report *report, const kst_report *resizing);

/* Copy a report to the caller's, as much as the caller's size member allows. `to` may be null. */
KST_SHARED void kst_report_copy(kst_report *to, const kst_report *from);

#endif
