/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides the 16-bit arithmetic of the fast DCTs in plain C: what vector instructions give. */
#ifndef KOSTKA_JPEG_CPU_DSP_FAST_H
#define KOSTKA_JPEG_CPU_DSP_FAST_H

#include <stdint.h>

#include "jpeg/tables/dct_fast.h"

/* Keep the low 16 bits, signed. */
static inline int16_t wrap(int32_t value)
{
    return (int16_t)(uint16_t)value;
}

/* Multiply by a constant of 8 fraction bits, rounding down; a value of more than 14 bits wraps first. */
static inline int16_t fast_product(int16_t value, int32_t constant)
{
    return (int16_t)(wrap(value * (1 << FAST_VALUE_SHIFT)) * (constant * (1 << FAST_CONSTANT_SHIFT)) >> 16);
}

#endif
