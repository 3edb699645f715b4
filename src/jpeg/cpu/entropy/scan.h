/* SPDX-License-Identifier: BSD-2-Clause */
/* One scan of any kind being read into the coefficients of a picture, a row of the frame's MCUs after the other. */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_SCAN_H
#define KOSTKA_JPEG_CPU_ENTROPY_SCAN_H

#include "jpeg/cpu/entropy/entropy.h"
#include "jpeg/cpu/entropy/progressive.h"

/* What scans are read into. */
struct jpeg_scan_target {
    const struct jpeg_coefficients *coefficients;
    jpeg_history *history[JPEG_COMPONENTS]; /* for each of their blocks; null where no AC scan refines the component */
};

struct jpeg_scan_reader {
    struct jpeg_entropy entropy;
    struct jpeg_progressive progressive; /* read is null for a sequential scan */
    struct jpeg_cursor cursor;
    uint32_t rows;      /* rows of the frame's MCUs read so far */
    uint32_t good_rows; /* of these, up to the last in which an MCU was begun that data were left for; at least 1 */
    bool overlay;       /* sequential: an earlier scan may have left coefficients in the blocks */
};

/* Derive the scan's tables and stand at its start. The reader must not move afterwards. KST_ERROR_MEMORY or
 * KST_ERROR_LIMIT_MEMORY: nothing is held. */
kst_status kst_jpeg_scan_open(struct memory *memory, struct jpeg_scan_reader *reader, const struct jpeg_plan *plan,
    uint32_t scan, enum cpu_tier tier);
void kst_jpeg_scan_close(struct memory *memory, struct jpeg_scan_reader *reader);

/* Read on until `rows` rows of the frame's MCUs are read. */
void kst_jpeg_scan_read(struct jpeg_scan_reader *reader, const struct jpeg_scan_target *target, uint32_t rows);

#endif
