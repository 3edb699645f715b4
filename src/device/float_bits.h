/* SPDX-License-Identifier: BSD-2-Clause */
/* The bits of a floating-point number, as kernels read them from the words of their work lists. */
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
