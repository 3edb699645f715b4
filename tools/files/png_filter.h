/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of PNG (ISO/IEC 15948, clause 9): what makes rows easier to compress. */
#ifndef KOSTKA_TOOL_PNG_FILTER_H
#define KOSTKA_TOOL_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

enum png_filter {
    PNG_FILTER_OF_NONE = 0,
    PNG_FILTER_OF_SUB = 1,
    PNG_FILTER_OF_UP = 2,
    PNG_FILTER_OF_AVERAGE = 3,
    PNG_FILTER_OF_PAETH = 4
};

/* Bytes that must be readable in front of a row, and in front of the one above it, where they are zero. */
enum { PNG_FILTER_MARGIN = 16 };

/*
 * Filter a row of `length` bytes into to[0 … length], of which to[0] is the filter's type (9.2). `above` is the row
 * above, or zeroes for the first row. `pixel` is the distance of a byte to the same byte of the pixel on the left, 1–8.
 */
void png_filter_row(
    enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t length, size_t pixel, uint8_t *to);

/*
 * The filter whose differences, taken as signed, have the smallest sum of absolute values (12.8 recommends it). Ties
 * go to the filter of the smaller type.
 */
enum png_filter png_filter_choose(const uint8_t *row, const uint8_t *above, size_t length, size_t pixel);

#endif
