/* SPDX-License-Identifier: BSD-2-Clause */
/* What coding passes have in common, of the MQ coder's bits and of raw ones. */
#ifndef KOSTKA_CPU_J2K_BLOCK_COLUMNS_H
#define KOSTKA_CPU_J2K_BLOCK_COLUMNS_H

#include "cpu/j2k_block.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A pass over all columns in the order of D.1. */
#define FOR_EACH_COLUMN(decoder, at, samples)                                                                          \
    for (uint32_t stripe = 0; stripe < (decoder)->stripes; stripe++, (at) += 2, (samples) += 3 * (decoder)->width)     \
        for (uint32_t column = 0; column < (decoder)->width; column++, (at)++, (samples)++)

/* The magnitude of a coefficient that becomes significant in plane `one`, and half of that plane. */
ALWAYS_INLINE uint32_t first_value(uint32_t one, uint32_t sign)
{
    return one | one >> 1 | sign << 31;
}

/* D.3.3: its bit in plane `one` holds the bias so far. */
ALWAYS_INLINE uint32_t refined_value(uint32_t value, uint32_t one, uint32_t bit)
{
    return (value ^ (bit ? 0 : one)) | one >> 1;
}

/* Rows of the significance pass. */
ALWAYS_INLINE uint32_t rows_to_try(j2k_flags flags)
{
    return j2k_rows_near(flags) & ~(j2k_rows_significant(flags) | j2k_rows_visited(flags));
}

#endif
