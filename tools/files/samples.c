/* SPDX-License-Identifier: BSD-2-Clause */
#include "files/samples.h"

#include <string.h>

enum { CHUNK = 2048 };

bool samples_swap(enum byte_order order)
{
    const uint16_t probe = 1;
    uint8_t first;

    memcpy(&first, &probe, 1);
    return order != ORDER_OWN && (order == ORDER_LITTLE) != (first == 1);
}

static void copy(const uint8_t *from, size_t bytes, bool swap, uint8_t *to)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[swap ? bytes - 1 - i : i];
}

void samples_take(const uint8_t *from, size_t step, size_t count, size_t bytes, bool swap, uint8_t *to)
{
    for (size_t i = 0; i < count; i++)
        copy(from + i * step * bytes, bytes, swap, to + i * bytes);
}

void samples_put(const uint8_t *from, size_t count, size_t bytes, bool swap, uint8_t *to, size_t step)
{
    for (size_t i = 0; i < count; i++)
        copy(from + i * bytes, bytes, swap, to + i * step * bytes);
}

bool samples_write(
    struct output *output, const uint8_t *from, size_t count, size_t bytes, bool swap, struct problem *problem)
{
    uint8_t chunk[4 * CHUNK];
    bool good = true;

    if (!swap || bytes == 1)
        return output_write(output, from, count * bytes, problem);
    for (size_t at = 0; at < count && good; at += CHUNK) {
        size_t some = count - at < CHUNK ? count - at : CHUNK;
        samples_take(from + at * bytes, 1, some, bytes, true, chunk);
        good = output_write(output, chunk, some * bytes, problem);
    }
    return good;
}
