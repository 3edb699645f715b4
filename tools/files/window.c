/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers a part of a large source, and moves that part to the requested bytes. */
#include "files/window.h"

#include <string.h>

/* Fill the window from an offset on, with `most` bytes or as many as are left. On failure the window is empty. */
static void fill(struct window *window, uint64_t offset)
{
    uint64_t size = source_size(window->source), left = offset < size ? size - offset : 0;
    struct problem told_later;

    window->first = offset;
    window->length = left < window->most ? (size_t)left : window->most;
    if (!source_at(window->source, offset, window->length, window->bytes, &told_later))
        window->length = 0;
}

bool window_read(struct window *window, uint64_t offset, size_t length, void *to, struct problem *problem)
{
    uint8_t *next = to;

    while (length > 0) {
        if (offset - window->first >= window->length && length < window->most) /* also in front: unsigned */
            fill(window, offset);
        uint64_t behind = offset - window->first;
        if (behind >= window->length)
            return source_at(window->source, offset, length, next, problem);
        size_t there = window->length - (size_t)behind, part = there < length ? there : length;
        memcpy(next, window->bytes + behind, part);
        next += part;
        offset += part;
        length -= part;
    }
    return true;
}
