/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes the big-endian numbers of marker segments and boxes. */
#ifndef KOSTKA_J2K_SYNTAX_BYTES_H
#define KOSTKA_J2K_SYNTAX_BYTES_H

#include <stdint.h>

static inline uint32_t j2k_get16(const uint8_t *data)
{
    return (uint32_t)data[0] << 8 | data[1];
}

static inline uint32_t j2k_get32(const uint8_t *data)
{
    return j2k_get16(data) << 16 | j2k_get16(data + 2);
}

static inline uint64_t j2k_get64(const uint8_t *data)
{
    return (uint64_t)j2k_get32(data) << 32 | j2k_get32(data + 4);
}

static inline void j2k_put16(uint8_t *data, uint32_t value)
{
    data[0] = (uint8_t)(value >> 8);
    data[1] = (uint8_t)value;
}

static inline void j2k_put32(uint8_t *data, uint32_t value)
{
    j2k_put16(data, value >> 16);
    j2k_put16(data + 2, value);
}

#endif
