/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the Huffman decoding of a scan of the lossless process (T.81 H.2.2, H.1.2.2): differences between samples
 * and what was predicted for them, an MCU row at a time.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_DIFFERENCES_H
#define KOSTKA_JPEG_CPU_ENTROPY_DIFFERENCES_H

#include "jpeg/cpu/entropy/entropy.h"

/* Reads a scan. A restart interval is a number of whole MCU rows. */
struct jpeg_differences {
    const struct jpeg_plan *plan;
    const struct jpeg_scan *scan;
    struct jpeg_lookup *lookup; /* of each component */
    struct jpeg_bits bits;
    uint32_t row;     /* the next MCU row */
    uint32_t segment; /* index in the plan of the segment being read, or of the next one if this interval has none */
    bool ended;       /* the interval's data are used up: its other differences are 0 */
    struct jpeg_damage damage;
};

/* Holds a component's lines of an MCU row: as many as its vertical factor says, or one in a scan of one component. */
struct jpeg_difference_lines {
    uint16_t *line[4];
};

/* Prepare to read a scan. On failure returns KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY, and nothing is held. */
kst_status kst_jpeg_cpu_differences_init(struct memory *memory, struct jpeg_differences *differences,
    const struct jpeg_plan *plan, const struct jpeg_scan *scan);
void kst_jpeg_cpu_differences_release(struct memory *memory, struct jpeg_differences *differences);

/*
 * Read the next MCU row of all of the scan's components, modulo 2^16. Returns whether it is the first of a restart
 * interval, where prediction begins anew.
 */
bool kst_jpeg_cpu_differences_read(
    struct jpeg_differences *differences, const struct jpeg_difference_lines lines[JPEG_COMPONENTS]);

#endif
