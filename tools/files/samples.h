/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of one, two or four bytes in a file's byte order. */
#ifndef KOSTKA_TOOL_SAMPLES_H
#define KOSTKA_TOOL_SAMPLES_H

#include "output.h"

enum byte_order { ORDER_OWN = 0, ORDER_LITTLE, ORDER_BIG }; /* the first: the machine's, or the format's */

/* How samples of a raw file lie: LAYOUT_USUAL is pixel by pixel, but planes that were asked for are written as planes.
 */
enum raw_layout { LAYOUT_USUAL = 0, LAYOUT_PIXELS, LAYOUT_PLANES };

/* Whether samples in this order are to be swapped. */
bool samples_swap(enum byte_order order);

/* Every step-th sample of `from` becomes one behind the other. They do not overlap. */
void samples_take(const uint8_t *from, size_t step, size_t count, size_t bytes, bool swap, uint8_t *to);

/* Samples that lie one behind the other become every step-th one of `to`. */
void samples_put(const uint8_t *from, size_t count, size_t bytes, bool swap, uint8_t *to, size_t step);

/* Write rows of `row` bytes, `pitch` bytes from one to the next, one behind the other at `offset`, by few calls. */
bool rows_write_at(struct output *output, uint64_t offset, const uint8_t *from, size_t pitch, size_t row, uint32_t rows,
    struct problem *problem);

/* The same behind what output_write() has written; the pitch may be negative. */
bool rows_write(
    struct output *output, const uint8_t *from, ptrdiff_t pitch, size_t row, uint32_t rows, struct problem *problem);

/* Write samples that lie one behind the other. */
bool samples_write(
    struct output *output, const uint8_t *from, size_t count, size_t bytes, bool swap, struct problem *problem);

#endif
