/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares decoded samples on their way to the picture: a ring of MCU rows per component, two of them as a rule, which
 * is upsampled and converted line by line.
 */
#ifndef KOSTKA_JPEG_CPU_ROWS_H
#define KOSTKA_JPEG_CPU_ROWS_H

#include "core/memory.h"
#include "jpeg/cpu/dsp/dsp.h"
#include "jpeg/plan/output.h"

/* Describes what rows of samples become, and what the CPU needs to make it. */
struct jpeg_making {
    const struct jpeg_output *output;
    const struct jpeg_dsp *dsp;
    uint32_t kept; /* MCU rows in each ring; 0: two, which suffice if lines are emitted after each MCU row */
    /* Receives the rows instead of the output's image, which has one plane; null: the image receives them. */
    struct jpeg_row_buffers *buffers;
};

/* Holds the buffers of one thread. */
struct jpeg_rows {
    const struct jpeg_output *output;
    const struct jpeg_making *making;
    uint8_t *memory;
    uint32_t kept;                  /* MCU rows in each ring */
    uint8_t *ring[JPEG_COMPONENTS]; /* kept × mcu_rows rows; row y of the component is at y modulo that */
    ptrdiff_t pitch[JPEG_COMPONENTS];
    uint8_t *line[JPEG_COMPONENTS]; /* one line of a component at the picture's width */
};

/*
 * Holds the samples on both sides of a border between bands: each component's last row above it and first row below it.
 */
struct jpeg_seam {
    uint8_t *row[2][JPEG_COMPONENTS]; /* [0]: above, [1]: below */
    uint8_t *memory;
};

kst_status kst_jpeg_cpu_rows_create(struct memory *memory, const struct jpeg_making *making, struct jpeg_rows *rows);
void kst_jpeg_cpu_rows_release(struct memory *memory, struct jpeg_rows *rows);

kst_status kst_jpeg_cpu_seam_create(struct memory *memory, const struct jpeg_output *output, struct jpeg_seam *seam);
void kst_jpeg_cpu_seam_release(struct memory *memory, struct jpeg_seam *seam);

/* Return where the samples of MCU row `mcu_row` of a component start. */
uint8_t *kst_jpeg_cpu_rows_at(const struct jpeg_rows *rows, uint32_t component, uint32_t mcu_row);

/*
 * Convert a line of each component, from the region's first pixel on and with JPEG_ROW_PADDING bytes behind its last,
 * to row `row` of the output's picture; `out` is where that row starts in plane 0. The conversion is not RAW.
 */
void kst_jpeg_cpu_rows_convert(
    const struct jpeg_making *making, uint32_t row, uint8_t *out, const uint8_t *const line[JPEG_COMPONENTS]);

/*
 * Write lines [from, to) of the reduced picture to the caller's image; lines outside the region are skipped. For raw
 * output both limits are borders of MCU rows.
 */
void kst_jpeg_cpu_rows_emit(const struct jpeg_rows *rows, uint32_t from, uint32_t to);

/* Copy each component's last row of MCU row `mcu_row` (above = true), or its first row, to a seam. */
void kst_jpeg_cpu_seam_keep(const struct jpeg_rows *rows, struct jpeg_seam *seam, uint32_t mcu_row, bool above);

/* Write the lines on both sides of the border above MCU row `mcu_row`, once both halves of the seam are filled. */
void kst_jpeg_cpu_seam_emit(const struct jpeg_rows *rows, const struct jpeg_seam *seam, uint32_t mcu_row);

#endif
