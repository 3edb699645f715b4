/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The integer arithmetic that vector instructions do, for plain C: sums and products that wrap, results that saturate.
 * Streams made by an encoder never reach these limits; hostile ones do, and must give the same bytes on every tier.
 */
#ifndef KOSTKA_CPU_JPEG_ARITHMETIC_H
#define KOSTKA_CPU_JPEG_ARITHMETIC_H

#include <stdint.h>

/* The low 16 bits, signed. */
static inline int32_t wrap16(int32_t value)
{
    return (int16_t)(uint16_t)value;
}

/* A coefficient times its quantiser: the low 16 bits, signed. */
static inline int32_t dequantise(int16_t coefficient, uint16_t quant)
{
    return wrap16((int32_t)coefficient * quant);
}

static inline int16_t saturate16(int32_t value)
{
    return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

static inline uint8_t clamp8(int32_t value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Divide by 2^bits, rounding half up. */
static inline int32_t descale(int32_t value, int bits)
{
    return (value + (1 << (bits - 1))) >> bits;
}

/* As descale, of a sum kept modulo 2^32. */
static inline int32_t descale_wrapped(uint32_t value, int bits)
{
    return (int32_t)(value + (1U << (bits - 1))) >> bits;
}

#endif
