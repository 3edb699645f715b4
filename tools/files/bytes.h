/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads numbers whose least significant byte comes first. */
#ifndef KOSTKA_TOOL_BYTES_H
#define KOSTKA_TOOL_BYTES_H

#include <stdint.h>

/* Return the number in `bytes` bytes, 1 to 4, of which the least significant comes first. */
static inline uint32_t little_endian(const uint8_t *from, unsigned bytes)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)from[i] << 8 * i;
    return value;
}

#endif
