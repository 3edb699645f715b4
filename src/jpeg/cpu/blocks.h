/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the coefficients of a picture with several scans in the form in which the inverse transform, on the CPU or a
 * GPU, takes them.
 */
#ifndef KOSTKA_JPEG_CPU_BLOCKS_H
#define KOSTKA_JPEG_CPU_BLOCKS_H

#include "jpeg/cpu/coefficients.h"
#include "jpeg/cpu/smooth.h"

struct jpeg_blocks {
    struct jpeg_coefficients coefficients;
    struct jpeg_smoothing smoothing;
    bool smoothed; /* coefficients that no scan made precise are estimated */
};

/*
 * Decode all scans, like kst_jpeg_cpu_decode_coefficients(). The plan must outlive the blocks, and the blocks must not
 * be moved.
 */
kst_status kst_jpeg_cpu_blocks_decode(
    const struct operation *op, const struct jpeg_plan *plan, bool strict, struct jpeg_blocks *blocks);
void kst_jpeg_cpu_blocks_release(struct memory *memory, struct jpeg_blocks *blocks);

/*
 * Copy `count` blocks of a component, from block (x, y) to the right, each in raster order; they are smoothed if the
 * picture is. `source` points to a struct jpeg_blocks. May be called from any number of threads at once.
 */
void kst_jpeg_cpu_blocks_copy(
    const void *source, uint32_t component, uint32_t x, uint32_t y, uint32_t count, int16_t *out);

#endif
