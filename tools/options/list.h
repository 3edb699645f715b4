/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lists of names. */
#ifndef KOSTKA_TOOL_LIST_H
#define KOSTKA_TOOL_LIST_H

#include "tool.h"

/* Holds a list: a file, "-" for standard input, with a name on each line or, with `null`, before each byte of 0. */
struct list {
    const char *path;
    bool null;
};

/*
 * Pass each name to a function, but no empty ones. The function returns false, with the problem, to end the reading.
 * Returns false, with a problem that names the list and the line, if it cannot be read, or if a line cannot be a name:
 * it holds a byte of 0 or is too long. Takes no memory but that of one name.
 */
bool list_read(const struct list *list, bool (*take)(void *user, const char *name, struct problem *problem), void *user,
    struct problem *problem);

#endif
