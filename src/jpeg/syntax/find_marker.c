/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds markers in entropy-coded data, with many threads if the data are long, and reports to the caller what was
 * searched.
 */
#include <stdatomic.h>
#include <string.h>

#include "jpeg/syntax/parser.h"

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
    FIRST_CHUNK = 1 << 16, /* also the length of all further chunks if the end may be anywhere */
    GROWTH = 4,            /* factor by which the number of chunks searched together grows */
    MOST_CHUNKS = 64,
    REPORTED = 1 << 22, /* least number of bytes in a report to the caller */
    /*
     * Bytes of the previous chunk that are searched too: a run of 0xFF longer than this is too long for the kernels,
     * wherever its counting begins.
     */
    OVERLAP = 64,
    /*
     * Bytes at the end of what was searched that are reported later: the overlap is read again, and if it were
     * reported, a mapped file would have pages around it made resident again and kept.
     */
    HELD_BACK = 1 << 16
};

/*
 * Holds chunks of `step` bytes from `from` on, which are searched together. Between `start` and `from` nothing was
 * found.
 */
struct chunks {
    const uint8_t *data;
    size_t length, start, from, step;
    size_t found[MOST_CHUNKS];
    uint32_t fill[MOST_CHUNKS];
    atomic_uint_fast32_t least; /* first chunk in which a marker was found, or MOST_CHUNKS */
};

static void note_found(struct chunks *chunks, uint32_t index)
{
    uint_fast32_t least = atomic_load(&chunks->least);
    while (index < least && !atomic_compare_exchange_weak(&chunks->least, &least, index))
        ;
}

/*
 * Search a chunk, together with the byte behind it and some bytes in front of it, because runs of 0xFF may begin there.
 */
static void look(void *arg, uint32_t index)
{
    struct chunks *chunks = arg;
    size_t first = chunks->from + index * chunks->step, rest = chunks->length - first;
    size_t end = rest > chunks->step ? first + chunks->step + 1 : chunks->length;
    size_t from = first > chunks->start ? first - OVERLAP : first;
    chunks->fill[index] = 0;
    chunks->found[index] = SIZE_MAX;
    if (index > atomic_load(&chunks->least))
        return;
    size_t found = kst_jpeg_find_marker(chunks->data, end, from, &chunks->fill[index]);
    if (found == end && end < chunks->length)
        return;
    chunks->found[index] = found;
    note_found(chunks, index);
}

/* Return the first marker in `count` chunks, or the end of the data if the chunks reach it; SIZE_MAX if neither. */
static size_t look_at(struct pool *threads, struct chunks *chunks, uint32_t count, uint32_t *fill)
{
    atomic_init(&chunks->least, MOST_CHUNKS);
    if (count > 1)
        kst_pool_run(threads, count, look, chunks);
    else
        look(chunks, 0);
    for (uint32_t i = 0; i < count; i++) {
        raise(fill, chunks->fill[i]);
        if (chunks->found[i] != SIZE_MAX)
            return chunks->found[i];
    }
    return SIZE_MAX;
}

static bool is_worth_threads(const struct pool *threads, size_t length, size_t from, size_t chunk)
{
    return threads && length >= from && length - from >= 2 * chunk && kst_pool_threads(threads) > 1;
}

static bool is_reported(const kst_searched *searched, size_t length, size_t from)
{
    return searched && searched->searched && length >= from && length - from >= 2 * REPORTED;
}

void kst_jpeg_report_searched(const kst_searched *searched, const uint8_t *data, size_t *reported, size_t to)
{
    if (!searched || !searched->searched || to - *reported < REPORTED)
        return;
    searched->searched(searched->user, data + *reported, to - *reported);
    *reported = to;
}

void kst_jpeg_report_part(const kst_searched *searched, const uint8_t *data, size_t reported, size_t to, size_t length)
{
    if (is_reported(searched, length, 0) && to > reported)
        searched->searched(searched->user, data + reported, to - reported);
}

/* Search rounds of chunks, `most` of them at first and then more and more, up to `cap`. */
static size_t search(struct pool *threads, const kst_searched *searched, struct chunks *chunks, uint32_t most,
    uint32_t cap, uint32_t *fill)
{
    size_t reported = chunks->start;
    for (;; most = GROWTH * most < cap ? GROWTH * most : cap) {
        size_t left = (chunks->length - chunks->from + chunks->step - 1) / chunks->step;
        uint32_t count = left < most ? (uint32_t)left : most;
        size_t found = look_at(threads, chunks, count, fill);
        if (found != SIZE_MAX) {
            kst_jpeg_report_searched(searched, chunks->data, &reported, found);
            return found;
        }
        chunks->from += (size_t)count * chunks->step;
        if (chunks->from - reported > HELD_BACK)
            kst_jpeg_report_searched(searched, chunks->data, &reported, chunks->from - HELD_BACK);
    }
}

size_t kst_jpeg_find_last_marker(
    struct pool *threads, const kst_searched *searched, const uint8_t *data, size_t length, size_t from, uint32_t *fill)
{
    if (!is_worth_threads(threads, length, from, CHUNK))
        return kst_jpeg_find_far_marker(NULL, searched, data, length, from, fill);
    struct chunks chunks = {.data = data, .length = length, .start = from, .from = from};
    if (is_reported(searched, length, from)) {
        chunks.step = CHUNK;
        return search(threads, searched, &chunks, REPORTED / CHUNK, REPORTED / CHUNK, fill);
    }
    size_t count = (length - from) / CHUNK < MOST_CHUNKS ? (length - from) / CHUNK : MOST_CHUNKS;
    chunks.step = (length - from) / count + 1;
    return look_at(threads, &chunks, (uint32_t)count, fill);
}

size_t kst_jpeg_find_far_marker(
    struct pool *threads, const kst_searched *searched, const uint8_t *data, size_t length, size_t from, uint32_t *fill)
{
    bool shared = is_worth_threads(threads, length, from, FIRST_CHUNK);
    if (!shared && !is_reported(searched, length, from))
        return kst_jpeg_find_marker(data, length, from, fill);
    struct chunks chunks = {.data = data, .length = length, .start = from, .from = from};
    chunks.step = shared ? FIRST_CHUNK : REPORTED;
    return shared ? search(threads, searched, &chunks, 1, MOST_CHUNKS, fill)
                  : search(NULL, searched, &chunks, 1, 1, fill);
}
