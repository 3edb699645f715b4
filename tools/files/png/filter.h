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

/* The number of readable zero bytes in front of each row, including the row above. */
enum { PNG_FILTER_MARGIN = 16 };

/*
 * Filter a row of `length` bytes into to[0 … length]; to[0] becomes the filter's type (9.2). `above` is the row above,
 * or zeros for the first row. `pixel` is the distance of a byte to the same byte of the pixel on the left, 1–8.
 */
void png_filter_row(
    enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t length, size_t pixel, uint8_t *to);

/*
 * Return the filter for which the sum of the absolute values of the filtered bytes, as signed bytes, is smallest (12.8
 * recommends that). Of equal ones, the filter of the lowest type is chosen.
 */
enum png_filter png_filter_choose(const uint8_t *row, const uint8_t *above, size_t length, size_t pixel);

#endif
