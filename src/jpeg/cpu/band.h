/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how a thread decodes a band, that is, consecutive MCU rows: from entropy-coded data or coefficients to lines
 * of the picture. Each thread of a crew (crew.h) owns one struct jpeg_band and decodes its stretches of the picture
 * with it.
 */
#ifndef KOSTKA_JPEG_CPU_BAND_H
#define KOSTKA_JPEG_CPU_BAND_H

#include "jpeg/cpu/entropy/ahead.h"
#include "jpeg/cpu/entropy/entropy.h"
#include "jpeg/cpu/rows.h"
#include "jpeg/cpu/smooth.h"
#include "jpeg/plan/coefficients.h"

/* Says where samples come from: either a single entropy-coded scan or coefficients. */
struct jpeg_source {
    const struct jpeg_plan *plan;
    const struct jpeg_entropy *entropy;           /* the single scan; null: coefficients are used */
    const struct jpeg_ahead *ahead;               /* the part of the scan that was decoded ahead; or null */
    const struct jpeg_coefficients *coefficients; /* used when `entropy` is null */
    const struct jpeg_smoothing *smoothing;       /* smoothing of the coefficients; null: none */
};

/* Holds the state and the buffers of one thread. */
struct jpeg_band {
    const struct jpeg_output *output;
    const struct jpeg_source *source;
    struct jpeg_rows rows;
    struct jpeg_cursor cursor; /* stands at the start of the next MCU row; only with an entropy source */
    /*
     * Converts numbers of MCUs in source->ahead to those in the scan. While it is set, the band takes its coefficients
     * from source->ahead; null: it does not.
     */
    const struct jpeg_shift *shift;
    uint32_t row; /* the next MCU row to decode */
};

kst_status kst_jpeg_cpu_band_create(
    struct memory *memory, const struct jpeg_making *making, const struct jpeg_source *source, struct jpeg_band *band);
void kst_jpeg_cpu_band_release(struct memory *memory, struct jpeg_band *band);

/*
 * Start work at an MCU row. `cursor` stands at the row's first MCU; it is null with a source of coefficients, or when
 * kst_jpeg_cpu_band_borrow() follows.
 */
void kst_jpeg_cpu_band_start(struct jpeg_band *band, uint32_t row, const struct jpeg_cursor *cursor);

/* Take the coefficients from what was decoded ahead, until the next kst_jpeg_cpu_band_start(). */
void kst_jpeg_cpu_band_borrow(struct jpeg_band *band, const struct jpeg_shift *shift);

/*
 * Decode the next MCU row and emit the lines that it completes: its own lines except the last `lag`, and before them
 * the last `lag` lines of the row above. If the band starts with this row (`first`), the `lag` lines on either side of
 * its upper border are left to the seam, unless the row is the region's first. If the row is the region's last, it is
 * emitted to its end.
 */
void kst_jpeg_cpu_band_step(struct jpeg_band *band, bool first);

/* Only decode the MCU row `band->row` to samples. The cursor moves on, but `row` stays. */
void kst_jpeg_cpu_band_fill(struct jpeg_band *band);

#endif
