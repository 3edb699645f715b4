/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts a floating-point number to its bits, as kernels read it from the words that describe their work. */
#ifndef KOSTKA_DEVICE_FLOAT_BITS_H
#define KOSTKA_DEVICE_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t gpu_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
