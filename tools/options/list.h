/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lists of names. */
#ifndef KOSTKA_TOOL_LIST_H
#define KOSTKA_TOOL_LIST_H

#include "tool.h"

/*
 * Describes a list: a file, or "-" for standard input, with a name on each line or, with `null`, in front of each zero
 * byte.
 */
struct list {
    const char *path;
    bool null;
};

/*
 * Pass each name that is not empty to a function, which returns false, with the problem, to stop. Returns false, with a
 * problem that names the list and the line, if the list cannot be read or a line cannot be a name, because it contains
 * a zero byte or is too long. Uses memory for one name only.
 */
bool list_read(const struct list *list, bool (*take)(void *user, const char *name, struct problem *problem), void *user,
    struct problem *problem);

#endif
