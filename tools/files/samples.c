/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies samples with the bytes swapped if need be, and writes rows of them. */
#include "files/samples.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 2048, GATHERED = 1 << 18 };

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

bool rows_write_at(struct output *output, uint64_t offset, const uint8_t *from, size_t pitch, size_t row, uint32_t rows,
    struct problem *problem)
{
    if (pitch == row)
        return output_write_at(output, offset, from, row * rows, problem);
    size_t together = row < GATHERED ? GATHERED / row : 1;
    uint8_t *gathered = malloc(together * row);
    bool good = gathered != NULL || problem_set(problem, "out of memory");
    for (uint32_t y = 0, count; y < rows && good; y += count) {
        count = rows - y < together ? rows - y : (uint32_t)together;
        for (uint32_t i = 0; i < count; i++)
            memcpy(gathered + i * row, from + (y + i) * pitch, row);
        good = output_write_at(output, offset + (uint64_t)y * row, gathered, count * row, problem);
    }
    free(gathered);
    return good;
}

bool rows_write(
    struct output *output, const uint8_t *from, ptrdiff_t pitch, size_t row, uint32_t rows, struct problem *problem)
{
    bool good = true;

    if (pitch > 0)
        good = rows_write_at(output, output->written, from, (size_t)pitch, row, rows, problem);
    for (uint32_t y = 0; y < rows && pitch <= 0 && good; y++)
        good = output_write_at(output, output->written + (uint64_t)y * row, from + (ptrdiff_t)y * pitch, row, problem);
    output->written += (uint64_t)row * rows;
    return good;
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
