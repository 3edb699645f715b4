/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads big-endian numbers of the codestream and of boxes. */
#ifndef KOSTKA_COMPAT_BYTES_H
#define KOSTKA_COMPAT_BYTES_H

#include <stdint.h>

static inline uint32_t openjp2_get16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t openjp2_get32(const uint8_t *at)
{
    return openjp2_get16(at) << 16 | openjp2_get16(at + 2);
}

#endif
