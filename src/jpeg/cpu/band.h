/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding a band: consecutive rows of MCUs, from entropy-coded data or from coefficients, to lines of the picture. */
#ifndef KOSTKA_JPEG_CPU_BAND_H
#define KOSTKA_JPEG_CPU_BAND_H

#include "jpeg/cpu/entropy/ahead.h"
#include "jpeg/cpu/entropy/entropy.h"
#include "jpeg/cpu/rows.h"
#include "jpeg/cpu/smooth.h"
#include "jpeg/plan/coefficients.h"

/* Where samples come from: one of the two. */
struct jpeg_source {
    const struct jpeg_plan *plan;
    const struct jpeg_entropy *entropy;           /* of a single scan; null: coefficients */
    const struct jpeg_ahead *ahead;               /* what was decoded of the scan already; or null */
    const struct jpeg_coefficients *coefficients; /* as long as `entropy` is null */
    const struct jpeg_smoothing *smoothing;       /* of the coefficients; null: they are taken as they are */
};

/* One thread's place of work. */
struct jpeg_band {
    const struct jpeg_output *output;
    const struct jpeg_source *source;
    struct jpeg_rows rows;
    struct jpeg_cursor cursor;      /* at the start of the next MCU row; with an entropy source */
    const struct jpeg_shift *shift; /* into source->ahead, from where the band then takes its coefficients; or null */
    uint32_t row;                   /* the next MCU row */
};

kst_status kst_jpeg_band_create(
    struct memory *memory, const struct jpeg_output *output, const struct jpeg_source *source, struct jpeg_band *band);
void kst_jpeg_band_release(struct memory *memory, struct jpeg_band *band);

/*
 * Take up work at an MCU row. `cursor`: at its first MCU; null with a source of coefficients, or where
 * kst_jpeg_band_borrow() follows.
 */
void kst_jpeg_band_start(struct jpeg_band *band, uint32_t row, const struct jpeg_cursor *cursor);

/* Take the coefficients from what was decoded ahead, until the next start. */
void kst_jpeg_band_borrow(struct jpeg_band *band, const struct jpeg_shift *shift);

/*
 * Decode the next MCU row and emit the lines that it completes: those of the row itself but the last `lag`, and the
 * last `lag` of the row before, unless the band starts (first) with this row. Where the row is the region's last, to
 * its end.
 */
void kst_jpeg_band_step(struct jpeg_band *band, bool first);

#endif
