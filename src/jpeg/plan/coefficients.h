/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the quantised coefficients of a whole picture, on which progressive decoding, optimised encoding and
 * transcoding work.
 */
#ifndef KOSTKA_JPEG_PLAN_COEFFICIENTS_H
#define KOSTKA_JPEG_PLAN_COEFFICIENTS_H

#include "core/memory.h"
#include "jpeg/plan/frame.h"

/*
 * Holds, for each component, padded_w × padded_h blocks, one row of blocks after the other. A block has 64 coefficients
 * in raster order (not zig-zag). The blocks are zeroed when they are created, unless kst_jpeg_coefficients_reserve()
 * creates them.
 */
struct jpeg_coefficients {
    int16_t *blocks[JPEG_COMPONENTS];
    uint32_t stride[JPEG_COMPONENTS]; /* number of blocks from one row of blocks to the next: padded_w */
    /* When decoded: number of MCU rows that the last scan has data for, at least 1; rows below are lost. */
    uint32_t good_rows;
    uint64_t left; /* whole bytes of entropy-coded data behind the last MCUs of scans, stuffed zero bytes not counted */
};

/* Holds the coefficients of a rectangle of a picture's MCUs. */
struct jpeg_strip {
    struct jpeg_coefficients coefficients;
    uint32_t first_x, first_y; /* column and row in the picture of the rectangle's first MCU */
};

kst_status kst_jpeg_coefficients_create(
    struct memory *memory, const struct jpeg_frame *frame, struct jpeg_coefficients *coefficients);
/* Allocate the same blocks with undefined contents, for callers that write every block. */
kst_status kst_jpeg_coefficients_reserve(
    struct memory *memory, const struct jpeg_frame *frame, struct jpeg_coefficients *coefficients);
/* Allocate zeroed coefficients of only mcus_w × mcus_h MCUs of the frame; the stride is that of mcus_w MCUs. */
kst_status kst_jpeg_coefficients_create_part(struct memory *memory, const struct jpeg_frame *frame, uint32_t mcus_w,
    uint32_t mcus_h, struct jpeg_coefficients *coefficients);
/* Return the number of bytes of all blocks. */
uint64_t kst_jpeg_coefficients_length(const struct jpeg_frame *frame);
void kst_jpeg_coefficients_release(struct memory *memory, struct jpeg_coefficients *coefficients);

static inline int16_t *kst_jpeg_block(const struct jpeg_coefficients *c, uint32_t component, uint32_t x, uint32_t y)
{
    return c->blocks[component] + ((size_t)y * c->stride[component] + x) * 64;
}

#endif
