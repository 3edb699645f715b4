/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps a record of a batch: a line of JSON for each input, appended once its outputs have their final names or it has
 * failed. Several processes may append to one file of a local file system.
 */
#ifndef KOSTKA_TOOL_MANIFEST_H
#define KOSTKA_TOOL_MANIFEST_H

#include <pthread.h>

#include "progress/outcome.h"
#include "tool.h"

struct manifest {
    const char *path;
    int descriptor; /* −1: not open */
    pthread_mutex_t lock;
    bool torn; /* the file does not end with a whole line */
};

/*
 * Open a manifest, or create it. An incomplete last line is cut off, unless another process has the file open. Returns
 * false, with the problem, on failure, also if the file does not begin like a manifest. Call this before threads are
 * started.
 */
bool manifest_open(struct manifest *manifest, const char *path, struct problem *problem);

/* Holds what is recorded about an input, or about a group of an archive. */
struct manifest_entry {
    const char *input;
    const char *group;  /* its key; null: the input is a file, or the archive as a whole */
    const char *output; /* the output's path that the input claimed; null: none */
    size_t together;    /* if the output is an archive, the number of entries that share it; otherwise 0 */
    const struct outcome *outcome;
    const char *failure; /* why there is no output; null: there is one */
};

/*
 * Append the lines of all entries with one write. An output that several entries share is read once for its checksum.
 * Thread-safe. Returns false, with the problem, on failure.
 */
bool manifest_add(struct manifest *manifest, const struct manifest_entry *entry, size_t count, struct problem *problem);

void manifest_close(struct manifest *manifest);

#endif
