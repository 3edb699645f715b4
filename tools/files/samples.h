/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles samples of one, two or four bytes in a file's byte order. */
#ifndef KOSTKA_TOOL_SAMPLES_H
#define KOSTKA_TOOL_SAMPLES_H

#include "files/output.h"

enum byte_order { ORDER_OWN = 0, ORDER_LITTLE, ORDER_BIG }; /* ORDER_OWN: the machine's, or the format's */

/*
 * Says how samples are ordered in a raw file. LAYOUT_USUAL is pixel by pixel, except that planes are written one after
 * another if the user asked for planes.
 */
enum raw_layout { LAYOUT_USUAL = 0, LAYOUT_PIXELS, LAYOUT_PLANES };

/* Return whether the bytes of samples in this order must be swapped. */
bool samples_swap(enum byte_order order);

/* Copy every step-th sample of `from` to consecutive places. The two do not overlap. */
void samples_take(const uint8_t *from, size_t step, size_t count, size_t bytes, bool swap, uint8_t *to);

/* Copy consecutive samples to every step-th place of `to`. */
void samples_put(const uint8_t *from, size_t count, size_t bytes, bool swap, uint8_t *to, size_t step);

/* Write rows of `row` bytes, which are `pitch` bytes apart in memory, without gaps from `offset` on, with few calls. */
bool rows_write_at(struct output *output, uint64_t offset, const uint8_t *from, size_t pitch, size_t row, uint32_t rows,
    struct problem *problem);

/* Write rows likewise behind the bytes of earlier calls of output_write(); the pitch may be negative. */
bool rows_write(
    struct output *output, const uint8_t *from, ptrdiff_t pitch, size_t row, uint32_t rows, struct problem *problem);

/* Write consecutive samples. */
bool samples_write(
    struct output *output, const uint8_t *from, size_t count, size_t bytes, bool swap, struct problem *problem);

#endif
