/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of one, two or four bytes in a file's byte order. */
#ifndef KOSTKA_TOOL_SAMPLES_H
#define KOSTKA_TOOL_SAMPLES_H

#include "output.h"

enum byte_order { ORDER_OWN = 0, ORDER_LITTLE, ORDER_BIG }; /* the first: the machine's, or the format's */

/* Whether samples in this order are to be swapped. */
bool samples_swap(enum byte_order order);

/* Every step-th sample of `from` becomes one behind the other. They do not overlap. */
void samples_take(const uint8_t *from, size_t step, size_t count, size_t bytes, bool swap, uint8_t *to);

/* Samples that lie one behind the other become every step-th one of `to`. */
void samples_put(const uint8_t *from, size_t count, size_t bytes, bool swap, uint8_t *to, size_t step);

/* Write samples that lie one behind the other. */
bool samples_write(
    struct output *output, const uint8_t *from, size_t count, size_t bytes, bool swap, struct problem *problem);

#endif
