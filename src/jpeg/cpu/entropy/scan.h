/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the reading of one scan of any kind into the coefficients of a picture, one MCU row of the frame after the
 * other.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_SCAN_H
#define KOSTKA_JPEG_CPU_ENTROPY_SCAN_H

#include "jpeg/cpu/entropy/entropy.h"
#include "jpeg/cpu/entropy/progressive.h"

/* Says where scans are read to. */
struct jpeg_scan_target {
    const struct jpeg_coefficients *coefficients;
    jpeg_history *history[JPEG_COMPONENTS]; /* one entry per block; null if no AC scan refines the component */
    uint32_t first_row;                     /* the MCU row of the frame with which both begin */
};

struct jpeg_scan_reader {
    struct jpeg_entropy entropy;
    struct jpeg_progressive progressive; /* its `read` is null for a sequential scan */
    struct jpeg_cursor cursor;
    uint32_t rows; /* number of MCU rows of the frame read so far */
    /* The number of MCU rows up to the last one in which an MCU was begun before the data ended; at least 1. */
    uint32_t good_rows;
    bool overlay; /* sequential: an earlier scan may have left coefficients in the blocks */
};

/*
 * Derive the scan's tables and put the cursor at its start. The reader must not be moved afterwards. On
 * KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY nothing is held.
 */
kst_status kst_jpeg_cpu_scan_open(struct memory *memory, struct jpeg_scan_reader *reader, const struct jpeg_plan *plan,
    uint32_t scan, enum cpu_tier tier);
void kst_jpeg_cpu_scan_close(struct memory *memory, struct jpeg_scan_reader *reader);

/* Continue until `rows` MCU rows of the frame are read. */
void kst_jpeg_cpu_scan_read(struct jpeg_scan_reader *reader, const struct jpeg_scan_target *target, uint32_t rows);

#endif
