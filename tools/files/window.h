/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads bytes of a source that is not in memory as a whole, through a buffer. */
#ifndef KOSTKA_TOOL_WINDOW_H
#define KOSTKA_TOOL_WINDOW_H

#include "files/files.h"

enum { WINDOW_BYTES = 1 << 16, WINDOW_GLANCE = 1 << 12 /* for reading places that are far from each other */ };

struct window {
    const struct source *source;
    size_t most;    /* bytes of one read if fewer are requested, up to WINDOW_BYTES */
    uint64_t first; /* the offset of the buffered bytes */
    size_t length;
    uint8_t bytes[WINDOW_BYTES];
};

/* Read `length` bytes from `offset` on. Returns false, with the problem, if the source has fewer or cannot be read. */
bool window_read(struct window *window, uint64_t offset, size_t length, void *to, struct problem *problem);

#endif
