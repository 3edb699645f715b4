/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that appear whole or not at all: written under a temporary name in the same directory, then renamed.
 * Interrupted (SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGBUS), the process removes the temporary files before it dies.
 */
#ifndef KOSTKA_TOOL_OUTPUT_H
#define KOSTKA_TOOL_OUTPUT_H

#include "tool.h"

struct output {
    int descriptor;   /* −1: not open */
    char *path;       /* where it ends up; null: standard output or something that is no regular file */
    char *temporary;  /* where it is being written */
    uint64_t written; /* by output_write() */
    size_t slot;      /* in the list of what to remove when interrupted */
};

/* Call once, before threads are started. */
void output_catch_signals(void);

/* "-" is standard output. Devices and pipes are written directly. */
bool output_open(struct output *output, const char *path, struct problem *problem);
bool output_write(struct output *output, const void *data, size_t length, struct problem *problem);

/* Whether bytes can only follow one another: standard output, devices and pipes. */
bool output_in_order(const struct output *output);

/* Bytes of the file at `offset`, and where it ends. In order, offsets do not count. */
bool output_write_at(struct output *output, uint64_t offset, const void *data, size_t length, struct problem *problem);
bool output_end_at(struct output *output, uint64_t length, struct problem *problem);

/* Make the file appear. Whatever the result, the output is closed after it. */
bool output_commit(struct output *output, struct problem *problem);

/* Drop what was written. An output that is not open is allowed. */
void output_discard(struct output *output);

#endif
