/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking for markers in entropy-coded data. */
#include <string.h>

#include "jpeg/parser.h"

static void raise(uint32_t *fill, size_t run)
{
    if (fill && run > *fill)
        *fill = run < UINT32_MAX ? (uint32_t)run : UINT32_MAX;
}

size_t kst_jpeg_find_marker(const uint8_t *data, size_t length, size_t from, uint32_t *fill)
{
    size_t at = from;
    while (at < length) {
        const uint8_t *hit = memchr(data + at, 0xFF, length - at);
        if (!hit)
            break;
        at = (size_t)(hit - data);
        size_t code = at + 1;
        while (code < length && data[code] == 0xFF)
            code++;
        if (code >= length)
            break;
        if (data[code] != 0)
            return code - 1;
        raise(fill, code - at);
        at = code + 1;
    }
    return length;
}

enum {
    CHUNK = 1 << 18,
    MOST_CHUNKS = 64,
    OVERLAP = 64 /* a longer run of 0xFF is too long, wherever it is counted from */
};

struct chunks {
    const uint8_t *data;
    size_t length, from, step;
    size_t found[MOST_CHUNKS];
    uint32_t fill[MOST_CHUNKS];
};

/* A chunk with the byte behind it, and some in front of it for runs that come from there. */
static void look(void *arg, uint32_t index)
{
    struct chunks *chunks = arg;
    size_t first = chunks->from + index * chunks->step, rest = chunks->length - first;
    size_t end = rest > chunks->step ? first + chunks->step + 1 : chunks->length;
    size_t from = index > 0 ? first - OVERLAP : first;
    chunks->fill[index] = 0;
    chunks->found[index] = kst_jpeg_find_marker(chunks->data, end, from, &chunks->fill[index]);
    if (chunks->found[index] == end && end < chunks->length)
        chunks->found[index] = SIZE_MAX;
}

static size_t find_with_threads(struct pool *threads, const uint8_t *data, size_t length, size_t from, uint32_t *fill)
{
    struct chunks chunks = {.data = data, .length = length, .from = from};
    size_t count = (length - from) / CHUNK < MOST_CHUNKS ? (length - from) / CHUNK : MOST_CHUNKS;
    chunks.step = (length - from) / count + 1;
    kst_pool_run(threads, (uint32_t)count, look, &chunks);
    for (size_t i = 0; i + 1 < count; i++) {
        if (chunks.found[i] != SIZE_MAX) /* not what was expected, nor worth more than to be looked for once more */
            return kst_jpeg_find_marker(data, length, from, fill);
        raise(fill, chunks.fill[i]);
    }
    raise(fill, chunks.fill[count - 1]);
    return chunks.found[count - 1];
}

size_t kst_jpeg_find_last_marker(struct pool *threads, const uint8_t *data, size_t length, size_t from, uint32_t *fill)
{
    if (!threads || length < from || length - from < 2 * (size_t)CHUNK || kst_pool_threads(threads) == 1)
        return kst_jpeg_find_marker(data, length, from, fill);
    return find_with_threads(threads, data, length, from, fill);
}
