/* SPDX-License-Identifier: BSD-2-Clause */
/* Huffman decoding of progressive scans (T.81 G.1.2, G.2), a run of MCUs at a time. */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_PROGRESSIVE_H
#define KOSTKA_JPEG_CPU_ENTROPY_PROGRESSIVE_H

#include "jpeg/cpu/entropy/entropy.h"
#include "jpeg/plan/coefficients.h"

/*
 * Which coefficients of a block are not zero: the highest bit stands for zig-zag index 0, the lowest for 63. DC
 * coefficients are not noted. Refinement reads this instead of the coefficients.
 */
typedef uint64_t jpeg_history;

struct jpeg_progressive;

/* MCUs of one row, neighbours from left to right. Blocks of an AC scan lie behind each other, and so do their
 * histories. */
struct jpeg_mcu_run {
    int16_t *block[JPEG_MCU_BLOCKS]; /* the blocks of the first MCU */
    uint32_t step[JPEG_MCU_BLOCKS];  /* coefficients from a block to that of the next MCU */
    jpeg_history *history;           /* AC: of the first block; null where no refinement follows */
    uint32_t count;                  /* MCUs; at most what is left of the interval */
};

/* Read MCUs until the run or the data are at an end (the cursor's bits are overrun); returns how many were begun. */
typedef uint32_t jpeg_read_run(
    const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run);

/* What an inner loop needs of its scan. */
struct jpeg_progressive {
    jpeg_read_run *read;
    const struct jpeg_entropy *entropy; /* block_component, dc */
    const struct jpeg_lookup *ac;
    uint32_t ss, se, al;
    bool vanishing; /* AC, first: a value may be shifted out of its 16 bits, to zero */
};

/*
 * Set up both for a scan of a progressive plan: as kst_jpeg_entropy_init() does for a sequential one, and released by
 * kst_jpeg_entropy_release().
 */
kst_status kst_jpeg_progressive_init(struct memory *memory, struct jpeg_progressive *progressive,
    struct jpeg_entropy *entropy, const struct jpeg_plan *plan, const struct jpeg_scan *scan, enum cpu_tier tier);

/* The functions behind the tiers; for kst_jpeg_progressive_init(). */
jpeg_read_run *kst_jpeg_progressive_tier(const struct jpeg_scan *scan, enum cpu_tier tier);

#endif
