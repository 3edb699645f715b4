/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Smoothing between blocks of a progressive picture that lacks scans: AC coefficients that no scan made precise are
 * estimated from the DC coefficients around (an extension of T.81 K.8 that libjpeg-turbo applies by default).
 */
#ifndef KOSTKA_JPEG_CPU_SMOOTH_H
#define KOSTKA_JPEG_CPU_SMOOTH_H

#include "jpeg/plan/coefficients.h"
#include "jpeg/plan/plan.h"

enum { JPEG_SMOOTHED = 10 }; /* zig-zag indices 0–9 */

/* What is known of a component's coefficients, as jpeg_plan.known. */
struct jpeg_smoothing_state {
    int8_t known[JPEG_SMOOTHED];
    bool dc_alone; /* none of the AC coefficients was in a scan: the DC coefficient is smoothed too */
};

struct jpeg_smoothing {
    const struct jpeg_frame *frame;
    const struct jpeg_coefficients *coefficients;
    struct jpeg_smoothing_state state[JPEG_COMPONENTS][2]; /* in the rows that the last scan reached, and below */
};

/* Whether a picture of this plan is smoothed at all. */
bool kst_jpeg_smoothing_useful(const struct jpeg_plan *plan);

/* Borrows the plan's frame and the coefficients, all scans of the plan being decoded into them. */
void kst_jpeg_smoothing_init(
    struct jpeg_smoothing *smoothing, const struct jpeg_plan *plan, const struct jpeg_coefficients *coefficients);

/* Smooth one block into `out`, 64 coefficients in raster order. From any number of threads at once. */
void kst_jpeg_smooth_block(
    const struct jpeg_smoothing *smoothing, uint32_t component, uint32_t x, uint32_t y, int16_t *out);

#endif
