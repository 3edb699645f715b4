/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a source that is not in memory as a whole, some of which are at hand at a time. */
#ifndef KOSTKA_TOOL_WINDOW_H
#define KOSTKA_TOOL_WINDOW_H

#include "files/files.h"

enum { WINDOW_BYTES = 1 << 16, WINDOW_GLANCE = 1 << 12 /* to look at places far from each other */ };

struct window {
    const struct source *source;
    size_t most;    /* that are read at a time where fewer are asked for, up to WINDOW_BYTES */
    uint64_t first; /* where those at hand begin */
    size_t length;
    uint8_t bytes[WINDOW_BYTES];
};

/* `length` bytes from `offset` on. False, with the problem, where the source has fewer or cannot be read. */
bool window_read(struct window *window, uint64_t offset, size_t length, void *to, struct problem *problem);

#endif
