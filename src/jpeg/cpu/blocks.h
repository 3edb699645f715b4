/* SPDX-License-Identifier: BSD-2-Clause */
/* The coefficients of a picture of many scans as the inverse transform takes them. */
#ifndef KOSTKA_JPEG_CPU_BLOCKS_H
#define KOSTKA_JPEG_CPU_BLOCKS_H

#include "jpeg/cpu/coefficients.h"
#include "jpeg/cpu/smooth.h"

struct jpeg_blocks {
    struct jpeg_coefficients coefficients;
    struct jpeg_smoothing smoothing;
    bool smoothed; /* what scans are missing for is estimated */
};

/* As kst_jpeg_decode_coefficients(). The plan must outlive the blocks, which must not be moved. */
kst_status kst_jpeg_blocks_decode(struct kst_context *context, struct memory *memory, const struct jpeg_plan *plan,
    bool strict, struct jpeg_blocks *blocks, kst_report *report);
void kst_jpeg_blocks_release(struct memory *memory, struct jpeg_blocks *blocks);

/*
 * Copy `count` blocks of a component from (x, y) on to the right, each in raster order, smoothed where that is asked
 * for. `source`: a struct jpeg_blocks. From any number of threads at once.
 */
void kst_jpeg_blocks_copy(const void *source, uint32_t component, uint32_t x, uint32_t y, uint32_t count, int16_t *out);

#endif
