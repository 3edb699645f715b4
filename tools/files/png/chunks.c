/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes the chunks of a file to libpng in a chosen order. */
#include "files/png/chunks.h"

#include <string.h>

enum { SIGNATURE = 8, AROUND = 12 /* bytes of a chunk besides its data: length, type, CRC */ };

/* Read a chunk's type, and find the end of the chunk. Returns false if the file ends before that. */
static bool look_at(struct png_chunks *chunks, uint64_t at, char type[4], uint64_t *end)
{
    uint8_t head[8];
    struct problem ignored;

    if (!window_read(&chunks->window, at, sizeof head, head, &ignored))
        return false;
    memcpy(type, head + 4, 4);
    *end = at + AROUND + ((uint64_t)head[0] << 24 | (uint64_t)head[1] << 16 | (uint64_t)head[2] << 8 | head[3]);
    return true;
}

static bool is(const char type[4], const char *name)
{
    return memcmp(type, name, 4) == 0;
}

/* Return whether a chunk describes the picture and may follow the pixels. */
static bool is_late(const char type[4])
{
    return is(type, "eXIf") || is(type, "tEXt") || is(type, "zTXt") || is(type, "iTXt");
}

/*
 * Find where the pixels end, and whether chunks behind them are wanted first. Returns false if the IDAT chunks are not
 * consecutive.
 */
static bool find_late(struct png_chunks *chunks, bool *found)
{
    uint64_t end = 0;
    char type[4];

    for (uint64_t at = SIGNATURE; look_at(chunks, at, type, &end) && !is(type, "IEND"); at = end) {
        if (is(type, "IDAT") && chunks->late != 0 && chunks->late != at)
            return false;
        if (is(type, "IDAT"))
            chunks->late = end;
        *found |= chunks->late != 0 && is_late(type);
    }
    return true;
}

bool png_chunks_begin(struct png_chunks *chunks, const struct source *source, bool texts_first)
{
    bool found = false;

    chunks->window = (struct window){.source = source, .most = WINDOW_GLANCE};
    chunks->late = 0;
    if (texts_first && !find_late(chunks, &found))
        return false;
    chunks->phase = found ? CHUNKS_IN_FRONT : CHUNKS_AS_THEY_ARE;
    chunks->window.most = WINDOW_BYTES;
    chunks->at = 0;
    chunks->end = found ? SIGNATURE : UINT64_MAX;
    return true;
}

/*
 * Choose what follows a finished chunk: first the chunks in front of the pixels, then the wanted chunks behind them,
 * then the pixels and all remaining chunks. If the file ends here, reading on will fail.
 */
static void choose_next(struct png_chunks *chunks)
{
    char type[4];
    bool there;

    while ((there = look_at(chunks, chunks->at, type, &chunks->end)) || chunks->phase == CHUNKS_LATE) {
        bool late = there && is_late(type);
        if (chunks->phase == CHUNKS_IN_FRONT && is(type, "IDAT")) {
            chunks->pixels = chunks->at;
            chunks->at = chunks->late;
            chunks->phase = CHUNKS_LATE;
        } else if (chunks->phase == CHUNKS_LATE && (!there || is(type, "IEND"))) {
            chunks->at = chunks->pixels;
            chunks->phase = CHUNKS_OTHER;
        } else if ((chunks->phase == CHUNKS_LATE && !late) || (chunks->phase == CHUNKS_OTHER && late)) {
            chunks->at = chunks->end;
        } else {
            return;
        }
    }
    chunks->end = UINT64_MAX;
}

bool png_chunks_read(struct png_chunks *chunks, size_t length, void *to, struct problem *problem)
{
    uint8_t *next = to;

    while (length > 0) {
        if (chunks->at == chunks->end)
            choose_next(chunks);
        uint64_t left = chunks->end - chunks->at;
        size_t part = left < length ? (size_t)left : length;
        if (!window_read(&chunks->window, chunks->at, part, next, problem))
            return false;
        next += part;
        chunks->at += part;
        length -= part;
    }
    return true;
}
