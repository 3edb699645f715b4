/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes to a file, as storage and transmission make them. */
#ifndef KOSTKA_FUZZ_DAMAGE_H
#define KOSTKA_FUZZ_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/* One change at a byte of the file: another value, what starts a marker, the byte gone, or a bit turned over. */
static inline void damage_at(uint8_t *data, size_t *length, size_t at, uint32_t (*random)(void))
{
    switch (random() % 4) {
    case 0:
        data[at] = (uint8_t)random();
        break;
    case 1:
        data[at] = 0xFF;
        break;
    case 2:
        for (size_t i = at; i + 1 < *length; i++)
            data[i] = data[i + 1];
        *length -= 1;
        break;
    default:
        data[at] ^= (uint8_t)(1 << random() % 8);
    }
}

#endif
