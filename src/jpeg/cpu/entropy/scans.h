/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the reading of all scans of a picture at the same time: each scan follows those it builds on, a few rows
 * behind.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_SCANS_H
#define KOSTKA_JPEG_CPU_ENTROPY_SCANS_H

#include "core/operation.h"
#include "jpeg/cpu/entropy/scan.h"

/*
 * Read all scans of the plan to their end; `reader` has an open reader for each scan. What is read does not depend on
 * the number of threads. A step of progress is an MCU row of the frame in a scan. On KST_ERROR_MEMORY,
 * KST_ERROR_LIMIT_MEMORY or KST_ERROR_CANCELLED the target holds nothing useful.
 */
kst_status kst_jpeg_scans_read(const struct operation *op, const struct jpeg_plan *plan,
    struct jpeg_scan_reader *reader, const struct jpeg_scan_target *target);

#endif
