/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the Huffman decoding of progressive scans (T.81 G.1.2, G.2), one run of MCUs at a time. The readers of scans
 * (scan.h) use it.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_PROGRESSIVE_H
#define KOSTKA_JPEG_CPU_ENTROPY_PROGRESSIVE_H

#include "jpeg/cpu/entropy/entropy.h"
#include "jpeg/plan/coefficients.h"

/*
 * A mask of the coefficients of a block that are not zero: the highest bit stands for zig-zag index 0, the lowest for
 * 63. DC coefficients are not recorded. Refinement passes read this instead of the coefficients.
 */
typedef uint64_t jpeg_history;

struct jpeg_progressive;

/*
 * Holds neighbouring MCUs of one row, from left to right. The blocks of an AC scan are consecutive in memory, and so
 * are their histories.
 */
struct jpeg_mcu_run {
    int16_t *block[JPEG_MCU_BLOCKS]; /* the blocks of the first MCU */
    uint32_t step[JPEG_MCU_BLOCKS];  /* number of coefficients from a block to the same block of the next MCU */
    jpeg_history *history;           /* AC: history of the first block; null if no refinement follows */
    uint32_t count;                  /* number of MCUs, at most what is left of the interval */
};

/* Read MCUs until the run or the data end (the cursor's bits are then overrun). Returns how many were begun. */
typedef uint32_t jpeg_read_run(
    const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run);

/* Holds the parameters of a scan for the inner loops. */
struct jpeg_progressive {
    jpeg_read_run *read;
    const struct jpeg_entropy *entropy; /* the parts block_component and dc are used */
    const struct jpeg_lookup *ac;
    uint32_t ss, se, al;
    bool vanishing; /* first AC scan: a value may be shifted out of its 16 bits, and become zero */
};

/*
 * Set up both structs for a scan of a progressive plan, as kst_jpeg_cpu_entropy_init() does for a sequential one.
 * kst_jpeg_cpu_entropy_release() releases them.
 */
kst_status kst_jpeg_cpu_progressive_init(struct memory *memory, struct jpeg_progressive *progressive,
    struct jpeg_entropy *entropy, const struct jpeg_plan *plan, const struct jpeg_scan *scan, enum cpu_tier tier);

/* Return the function for a scan on a tier; used by kst_jpeg_cpu_progressive_init(). */
jpeg_read_run *kst_jpeg_cpu_progressive_tier(const struct jpeg_scan *scan, enum cpu_tier tier);

#endif
