/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provides integer arithmetic in plain C that behaves like vector instructions: 32-bit sums wrap, results saturate.
 * Streams made by an encoder never reach these limits. Hostile streams do, and must give the same bytes on every tier.
 */
#ifndef KOSTKA_JPEG_CPU_DSP_ARITHMETIC_H
#define KOSTKA_JPEG_CPU_DSP_ARITHMETIC_H

#include <stdint.h>

/* Multiply a coefficient by its quantiser; keep the low 16 bits, signed. */
static inline int16_t dequantise(int16_t coefficient, uint16_t quant)
{
    return (int16_t)(uint16_t)((int32_t)coefficient * quant);
}

/* Multiply a value of at most 17 bits by a constant of at most 17 bits: a term of a sum kept modulo 2^32. */
static inline uint32_t term(int32_t value, int32_t constant)
{
    return (uint32_t)value * (uint32_t)constant;
}

static inline int16_t saturate16(int32_t value)
{
    return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

static inline uint8_t clamp8(int32_t value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Divide a sum by 2^bits, rounding half up. */
static inline int32_t descale(uint32_t sum, int bits)
{
    return (int32_t)(sum + (1U << (bits - 1))) >> bits;
}

/* Divide a sum by 2^bits, rounding half up, and shift the level to 0…255. */
static inline uint8_t descale_sample(uint32_t sum, int bits)
{
    return clamp8((int32_t)(sum + (1U << (bits - 1)) + (128U << bits)) >> bits);
}

#endif
