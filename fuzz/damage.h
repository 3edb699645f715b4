/* SPDX-License-Identifier: BSD-2-Clause */
/* Damages a file as storage and transmission may do it. */
#ifndef KOSTKA_FUZZ_DAMAGE_H
#define KOSTKA_FUZZ_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Change the file at one byte: give it another value, make it 0xFF, remove it, or invert a bit. */
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
