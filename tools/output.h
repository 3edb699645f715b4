/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that appear whole or not at all: written under a temporary name in the same directory, then renamed. Through
 * symbolic links the file that they name is made or replaced, and the links stay. Messages name the output.
 */
#ifndef KOSTKA_TOOL_OUTPUT_H
#define KOSTKA_TOOL_OUTPUT_H

#include "temporary.h"

struct output {
    int descriptor;             /* −1: not open */
    char *path;                 /* for messages, and where the file ends up; null: standard output */
    struct temporary temporary; /* where it is being written; not open: `descriptor` is the destination itself */
    unsigned mode;              /* the file's permissions in the end */
    uint64_t written;           /* by output_write() */
    uint8_t *gathered;          /* what of that is still to go to the file; null: nothing has been gathered */
    size_t gathered_length;
    uint64_t gathered_at; /* where in the file it goes */
};

/* Call once, before threads are started. */
void output_begin(void);

/*
 * "-" is standard output. Devices and pipes are written directly; a terminal is refused. A file that is replaced leaves
 * its permissions to the new one, but for the bits that let programs run as somebody else.
 */
bool output_open(struct output *output, const char *path, struct problem *problem);

/* Append to the file. Small pieces are gathered, so that the file is written 256 KB at a time. */
bool output_write(struct output *output, const void *data, size_t length, struct problem *problem);

/* Whether the path is standard output and that is a terminal, which output_open() refuses. */
bool output_is_terminal(const char *path);

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
