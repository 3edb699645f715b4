/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the first inputs of a batch while its devices are opened, which takes a GPU's driver a quarter of a second. */
#ifndef KOSTKA_TOOL_BATCH_AHEAD_H
#define KOSTKA_TOOL_BATCH_AHEAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "batch/inputs.h"
#include "files/files.h"

enum { AHEAD_INPUTS = 128, AHEAD_THREADS = 8 };

/*
 * Holds the sources of the first inputs, in the order by rank, that have been read ahead. All zero: none has been read.
 */
struct ahead {
    const struct inputs *inputs;
    const struct file_settings *files;
    size_t count;
    atomic_size_t next;
    atomic_bool stopped;
    size_t threads;
    pthread_t thread[AHEAD_THREADS];
    struct source source[AHEAD_INPUTS];
};

/*
 * Start threads that read regular files among the first inputs, up to a few hundred megabytes. If a file cannot be
 * read, the worker that processes it reads it again and reports the error.
 */
void ahead_begin(struct ahead *ahead, const struct inputs *inputs, const struct file_settings *files);

/* Stop reading ahead, after the files that threads are just reading. From then on the sources can be taken. */
void ahead_stop(struct ahead *ahead);

/*
 * Take the source of the input with this index in the order by rank, once reading has stopped. Returns false, and
 * leaves *source as it is, if it was not read. Thread-safe for different inputs.
 */
bool ahead_take(struct ahead *ahead, size_t index, struct source *source);

/* Release the sources that no worker took. */
void ahead_release(struct ahead *ahead);

#endif
