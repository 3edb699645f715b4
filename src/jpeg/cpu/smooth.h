/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Smooths a progressive picture that lacks scans: AC coefficients that no scan made precise are estimated from the DC
 * coefficients of the blocks around (an extension of T.81 K.8 that libjpeg-turbo applies by default).
 */
#ifndef KOSTKA_JPEG_CPU_SMOOTH_H
#define KOSTKA_JPEG_CPU_SMOOTH_H

#include "jpeg/plan/coefficients.h"
#include "jpeg/plan/plan.h"

enum { JPEG_SMOOTHED = 10 }; /* zig-zag indices 0–9 */

/* Says how far a component's coefficients are known, in the form of jpeg_plan.known. */
struct jpeg_smoothing_state {
    int8_t known[JPEG_SMOOTHED];
    bool dc_alone; /* no scan held any of the AC coefficients: the DC coefficient is smoothed too */
};

struct jpeg_smoothing {
    const struct jpeg_frame *frame;
    const struct jpeg_coefficients *coefficients;
    /* [0]: in the rows that the last scan reached, [1]: below them */
    struct jpeg_smoothing_state state[JPEG_COMPONENTS][2];
};

/* Return whether a picture of this plan is smoothed at all. */
bool kst_jpeg_cpu_smoothing_useful(const struct jpeg_plan *plan);

/* Set up smoothing. Borrows the plan's frame and the coefficients, into which all scans of the plan are decoded. */
void kst_jpeg_cpu_smoothing_init(
    struct jpeg_smoothing *smoothing, const struct jpeg_plan *plan, const struct jpeg_coefficients *coefficients);

/* Smooth one block into `out`, as 64 coefficients in raster order. May be called from any number of threads at once. */
void kst_jpeg_cpu_smooth_block(
    const struct jpeg_smoothing *smoothing, uint32_t component, uint32_t x, uint32_t y, int16_t *out);

#endif
