/* SPDX-License-Identifier: BSD-2-Clause */
/* What all coding passes of a code-block share. */
#ifndef KOSTKA_CPU_J2K_CODING_COLUMNS_H
#define KOSTKA_CPU_J2K_CODING_COLUMNS_H

#include "cpu/j2k_block_encode.h"
#include "cpu/j2k_block_measure.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A pass over all columns in the order of D.1; `samples` is its first row. */
#define FOR_EACH_COLUMN(encoder, at, column, samples)                                                                  \
    for (uint32_t stripe = 0; stripe < (encoder)->stripes; stripe++, (at) += 2, (samples) += 3 * (size_t)width)        \
        for (uint32_t x = 0; x < width; x++, (at)++, (column)++, (samples)++)

ALWAYS_INLINE uint32_t rows_to_try(j2k_flags flags)
{
    return j2k_rows_near(flags) & ~(j2k_rows_significant(flags) | j2k_rows_visited(flags));
}

#endif
