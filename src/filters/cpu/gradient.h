/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the computation of gradients by Sobel's operators, row by row from the top of an image. */
#ifndef KOSTKA_FILTERS_CPU_GRADIENT_H
#define KOSTKA_FILTERS_CPU_GRADIENT_H

#include "filters/bands.h"
#include "filters/cpu/hot.h"

enum { FILTER_APERTURES = 7 };

/*
 * Holds the horizontal sums of the last rows that were loaded, from which the gradients of the middle row are computed.
 */
struct filter_sobel {
    struct filter_window window;
    const struct filter_hot *hot;
    int16_t *memory;
    int32_t *wide; /* takes the place of `memory` if samples have two bytes */
    size_t pitch;  /* values of a row */
};

/*
 * Allocate the sums. `radius`: 1–3 for apertures of 3, 5 and 7; 1 or 2 if samples have two bytes. Pixels outside the
 * image are replaced by those at its edge.
 */
kst_status kst_filter_sobel_make(
    const struct operation *operation, const struct filter_pixels *from, uint32_t radius, struct filter_sobel *sobel);
void kst_filter_sobel_drop(struct memory *memory, struct filter_sobel *sobel);
void kst_filter_sobel_load(const struct filter_sobel *sobel, int64_t y);

/* Compute the gradients of row `y`, all channels; rows up to `y` + radius have been loaded. */
void kst_filter_sobel_row(const struct filter_sobel *sobel, int64_t y, int16_t *dx, int16_t *dy);

/* Do the same with samples of two bytes. */
void kst_filter_sobel_row_wide(const struct filter_sobel *sobel, int64_t y, int32_t *dx, int32_t *dy);

/* Refuse samples of more than 8 bits. */
kst_status kst_filter_check_narrow(const char *name, const struct filter_shape *shape, char reason[FILTER_REASON]);

/* Refuse sides that are too long for filters whose coordinates have signs. */
kst_status kst_filter_check_sides(const char *name, const struct filter_shape *shape, char reason[FILTER_REASON]);

#endif
