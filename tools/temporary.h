/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Temporary files, which become outputs once they are whole.
 *
 * They are removed when the process is interrupted (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGBUS). Those of a
 * process that was killed are removed by the next run that writes to the same directory: their name says on which host
 * and by which process they were made, and a lock on them (flock) ends with that process. Removed is what this user
 * made, on this host, by a process that is gone, and what nobody holds a lock on.
 */
#ifndef KOSTKA_TOOL_TEMPORARY_H
#define KOSTKA_TOOL_TEMPORARY_H

#include "tool.h"

struct temporary {
    int descriptor; /* −1: there is none */
    char *path;
    size_t slot; /* in the list of what to remove when interrupted */
};

/* Call once, before threads are started and outputs opened: from here on signals remove temporary files. */
void temporary_catch_signals(void);

/* Open a new file beside `path` that nobody else may read or write. False with errno set where that cannot be. */
bool temporary_open(struct temporary *temporary, const char *path);

/* Give the file its name, in place of any that has it. False with errno set; the file is then still temporary. */
bool temporary_rename(struct temporary *temporary, const char *path);

/* Remove the file, if it was not renamed, and close it. A file that is not open is allowed. */
void temporary_close(struct temporary *temporary);

#endif
