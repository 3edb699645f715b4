/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the first inputs of a batch while its devices are opened, which takes a GPU's driver a quarter of a second. */
#ifndef KOSTKA_TOOL_BATCH_AHEAD_H
#define KOSTKA_TOOL_BATCH_AHEAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "batch/inputs.h"
#include "files/files.h"

enum { AHEAD_INPUTS = 128, AHEAD_THREADS = 8 };

/* Holds what was read: sources of the first inputs in the order by rank. All zero: nothing is. */
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
 * Start threads that read regular files among the first inputs, as far as a few hundred megabytes go. A file that
 * cannot be read is left to whoever works on it.
 */
void ahead_begin(struct ahead *ahead, const struct inputs *inputs, const struct file_settings *files);

/* Stop reading: what is being read is finished, and can be taken from now on. */
void ahead_stop(struct ahead *ahead);

/*
 * Take the source of the input with this index in the order by rank, once reading has stopped. Returns false, and
 * leaves *source as it is, if it was not read. Thread-safe for different inputs.
 */
bool ahead_take(struct ahead *ahead, size_t index, struct source *source);

/* Release the sources that nobody took. */
void ahead_release(struct ahead *ahead);

#endif
