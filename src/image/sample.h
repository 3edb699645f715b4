/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes single integer samples of one or two bytes, in rows that are aligned for them. */
#ifndef KOSTKA_IMAGE_SAMPLE_H
#define KOSTKA_IMAGE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t sample_get(const uint8_t *row, size_t index, uint32_t bytes)
{
    return bytes == 1 ? row[index] : ((const uint16_t *)(const void *)row)[index];
}

static inline void sample_put(uint8_t *row, size_t index, uint32_t bytes, uint32_t value)
{
    if (bytes == 1)
        row[index] = (uint8_t)value;
    else
        ((uint16_t *)(void *)row)[index] = (uint16_t)value;
}

#endif
