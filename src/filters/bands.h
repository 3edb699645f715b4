/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how threads share the rows of an image, and rows with a border. */
#ifndef KOSTKA_FILTERS_BANDS_H
#define KOSTKA_FILTERS_BANDS_H

#include "filters/filter.h"

/* Says which pixels stand for those outside an image: the nearest one, or those mirrored at the centre of the outermost
 * one. */
enum filter_border { FILTER_REPLICATE, FILTER_REFLECT };

/* Makes rows from `first` up to `end`. */
typedef kst_status (*filter_band)(const struct filter_work *work, void *arg, uint32_t first, uint32_t end);

/* Return how many bands kst_filter_bands() makes of so many rows, and the first row of one of them. */
uint32_t kst_filter_band_count(const struct operation *operation, uint32_t rows);
uint32_t kst_filter_band_begin(uint32_t rows, uint32_t bands, uint32_t index);

/* Call the function for bands that make up all rows, on the operation's threads. Return one of the errors. */
kst_status kst_filter_bands(const struct filter_work *work, uint32_t rows, filter_band band, void *arg);

/*
 * Holds the last rows that were loaded, 2 × radius + 1 of them, each with `radius` pixels more on either side. Rows
 * above and below the image can be loaded, too.
 */
struct filter_window {
    const struct filter_pixels *from;
    uint32_t radius, count;
    enum filter_border border;
    uint8_t *memory;
    size_t pitch, before; /* bytes of a row, and before its first pixel */
};

kst_status kst_filter_window_make(struct memory *memory, const struct filter_pixels *from, uint32_t radius,
    enum filter_border border, struct filter_window *window);
void kst_filter_window_drop(struct memory *memory, struct filter_window *window);
void kst_filter_window_load(const struct filter_window *window, int64_t y); /* −radius or more */

/* Return the first pixel of a row that has been loaded. */
static inline const uint8_t *kst_filter_window_row(const struct filter_window *window, int64_t y)
{
    return window->memory + (size_t)((y + window->count) % window->count) * window->pitch + window->before;
}

#endif
