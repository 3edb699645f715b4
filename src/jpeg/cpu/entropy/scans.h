/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the reading of all scans of a picture at the same time: each scan follows those it builds on, a few rows
 * behind.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_SCANS_H
#define KOSTKA_JPEG_CPU_ENTROPY_SCANS_H

#include "core/operation.h"
#include "jpeg/cpu/entropy/scan.h"

/* Holds the readers of all scans of a plan, and where they read to. */
struct jpeg_scans {
    const struct jpeg_plan *plan;
    struct jpeg_scan_target target;  /* the caller sets the coefficients */
    struct jpeg_scan_reader *reader; /* one per scan */
    uint32_t opened;
};

/*
 * Open a reader for every scan, and make histories for `mcu_rows` MCU rows of the frame. The caller closes them also on
 * failure.
 */
kst_status kst_jpeg_cpu_scans_open(
    const struct operation *op, const struct jpeg_plan *plan, uint32_t mcu_rows, struct jpeg_scans *scans);
void kst_jpeg_cpu_scans_close(struct memory *memory, struct jpeg_scans *scans);

/*
 * Read all scans to their end. What is read does not depend on the number of threads. A step of progress is an MCU row
 * of the frame in a scan. On KST_ERROR_MEMORY, KST_ERROR_LIMIT_MEMORY or KST_ERROR_CANCELLED the target holds nothing
 * useful.
 */
kst_status kst_jpeg_cpu_scans_read(const struct operation *op, struct jpeg_scans *scans);

/* Read one MCU row of the frame, the one that follows those read so far, from all scans. */
void kst_jpeg_cpu_scans_read_row(struct jpeg_scans *scans, uint32_t row);

/* Return the damage that all readers have met. */
struct jpeg_damage kst_jpeg_cpu_scans_damage(const struct jpeg_scans *scans);

/* Return how many whole bytes are left behind the last MCUs of all scans, once these are read. */
uint64_t kst_jpeg_cpu_scans_left(const struct jpeg_scans *scans);

#endif
