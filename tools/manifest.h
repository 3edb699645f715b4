/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps a record of a batch: a line of JSON for each input, appended once its outputs have their final names or it has
 * failed. Several processes may append to one file of a local file system.
 */
#ifndef KOSTKA_TOOL_MANIFEST_H
#define KOSTKA_TOOL_MANIFEST_H

#include <pthread.h>

#include "outcome.h"
#include "tool.h"

struct manifest {
    const char *path;
    int descriptor; /* −1: not open */
    pthread_mutex_t lock;
    bool torn; /* the file does not end with a whole line */
};

/*
 * Open a manifest, or create it. A last line that was not written to its end is cut off, unless another process has the
 * file open. Returns false, with the problem, on failure, also if the file begins like none. Call this before threads
 * are started.
 */
bool manifest_open(struct manifest *manifest, const char *path, struct problem *problem);

/*
 * Append the line for an input. `output` is the name that the input claimed, or null; `failure` says why there is no
 * output, and is null if there is. Thread-safe. Returns false, with the problem, on failure.
 */
bool manifest_add(struct manifest *manifest, const char *input, const char *output, const struct outcome *outcome,
    const char *failure, struct problem *problem);

void manifest_close(struct manifest *manifest);

#endif
