/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how threads share the rows of an image, and rows with a border. */
#ifndef KOSTKA_FILTERS_BANDS_H
#define KOSTKA_FILTERS_BANDS_H

#include "filters/filter.h"

/* Says which pixels replace those outside an image: the nearest ones, or those mirrored at the centre of the outermost
 * pixel. */
enum filter_border { FILTER_REPLICATE, FILTER_REFLECT };

/* Makes rows `first` … `end` − 1. */
typedef kst_status (*filter_band)(const struct filter_work *work, void *arg, uint32_t first, uint32_t end);

/* Return the number of bands into which kst_filter_bands() divides `rows` rows, and the first row of a band. */
uint32_t kst_filter_band_count(const struct operation *operation, uint32_t rows);
uint32_t kst_filter_band_begin(uint32_t rows, uint32_t bands, uint32_t index);

/*
 * Call the function for bands that make up all rows, on the operation's threads. Returns one of the errors, if there
 * are any.
 */
kst_status kst_filter_bands(const struct filter_work *work, uint32_t rows, filter_band band, void *arg);

/*
 * Holds the last 2 × radius + 1 rows that were loaded, each with `radius` more pixels on either side. Rows above and
 * below the image can be loaded, too.
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
