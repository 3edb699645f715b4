/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes temporary files, which become outputs once they are complete. They are removed when a signal ends the process
 * (interrupt.h). The next run that writes to the same directory removes those of a process that was killed: their names
 * say which process on which host made them, and a lock on them (flock) ends with that process. A file is removed if
 * this user made it on this host in a process that no longer exists, and nobody holds a lock on it.
 */
#ifndef KOSTKA_TOOL_TEMPORARY_H
#define KOSTKA_TOOL_TEMPORARY_H

#include "tool.h"

struct temporary {
    int descriptor; /* −1: the file is not open */
    char *path;
    size_t slot; /* its slot in the list of files to remove when interrupted */
};

/* Remove all temporary files, because the process ends. A signal handler may call this while other threads go on. */
void temporary_remove_all(void);

/* Open a new file beside `path` that nobody else may read or write. Returns false, with errno set, on failure. */
bool temporary_open(struct temporary *temporary, const char *path);

/*
 * Give the file a name that ends in .part, under which it stays if this process ends: neither a signal nor a later run
 * removes it. Returns false on failure; the file is then unchanged.
 */
bool temporary_keep(struct temporary *temporary);

/* Let the file stay under that name. Afterwards it may only be closed. */
void temporary_leave(struct temporary *temporary);

/* Open a file without a name in the directory of `path`. Returns its descriptor, or −1 with errno set. */
int temporary_open_unnamed(const char *path);

/*
 * Give the file its name, replacing any other file of that name. Returns false, with errno set, on failure; the file is
 * then still temporary.
 */
bool temporary_rename(struct temporary *temporary, const char *path);

/* Remove the file, if it was not renamed, and close it. A file that is not open is allowed. */
void temporary_close(struct temporary *temporary);

#endif
