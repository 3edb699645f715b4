/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes whole rows before and after the passes: multiplies or divides by alpha, and mirrors. */
#ifndef KOSTKA_RESIZE_CPU_FINISH_H
#define KOSTKA_RESIZE_CPU_FINISH_H

#include <kostka/kostka.h>

/*
 * Multiply the three colours of each pixel by its alpha, the last of four samples: colour × alpha ÷ `greatest`, rounded
 * to nearest. Samples take `bytes` bytes, 1 or 2.
 */
void kst_resize_weigh_by_alpha(const uint8_t *from, uint8_t *to, uint32_t width, uint32_t bytes, uint32_t greatest);

/*
 * Undo the multiplication where alpha is neither 0 nor the greatest value: colour × `greatest` ÷ alpha, rounded down
 * and at most `greatest`.
 */
void kst_resize_divide_by_alpha(uint8_t *row, uint32_t width, uint32_t bytes, uint32_t greatest);

/* Exchange left and right in a row. A pixel has `bytes` bytes, 1 to 8. */
void kst_resize_mirror(uint8_t *row, uint32_t width, uint32_t bytes);

#endif
