/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the filters of PNG (ISO/IEC 15948, clause 9), which make rows easier to compress. */
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

/* The number of readable zero bytes that must precede a row, and the row above it. */
enum { PNG_FILTER_MARGIN = 16 };

/*
 * Filter a row of `length` bytes into to[0 … length], of which to[0] is the filter's type (9.2). `above` is the row
 * above, or zeroes for the first row. `pixel` is the distance of a byte to the same byte of the pixel on the left, 1–8.
 */
void png_filter_row(
    enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t length, size_t pixel, uint8_t *to);

/*
 * Return the filter whose differences, as signed bytes, have the smallest sum of absolute values, as 12.8 recommends.
 * Ties go to the filter of the smaller type.
 */
enum png_filter png_filter_choose(const uint8_t *row, const uint8_t *above, size_t length, size_t pixel);

#endif
