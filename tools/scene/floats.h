/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes floating-point numbers into bytes. */
#ifndef KOSTKA_TOOL_FLOATS_H
#define KOSTKA_TOOL_FLOATS_H

#include <stdint.h>
#include <string.h>

/* Write a binary32 number, least significant byte first. */
static inline void float_put(uint8_t *to, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(bits >> 8 * i);
}

#endif
