/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes files that appear whole or not at all: they are written under a temporary name in the same directory, then
 * renamed. Symbolic links are followed: the file that they lead to is made or replaced, and the links stay. Messages
 * name the output.
 */
#ifndef KOSTKA_TOOL_OUTPUT_H
#define KOSTKA_TOOL_OUTPUT_H

#include "system/temporary.h"

struct output {
    int descriptor;             /* −1: not open */
    char *path;                 /* the final path, also for messages; null: standard output */
    char *given;                /* the path that was passed to output_open(); null: standard output */
    struct temporary temporary; /* the file that is written; if not open, `descriptor` is the destination itself */
    bool captured;              /* the file is made in memory (capture.h) */
    bool kept;                  /* the file stays under its temporary name if it is not given its final name */
    unsigned mode;              /* the final file's permissions */
    uint64_t written;           /* bytes passed to output_write() */
    uint8_t *gathered;          /* written bytes that are not in the file yet; null: nothing has been gathered so far */
    size_t gathered_length;
    uint64_t gathered_at; /* their offset in the file */
    struct pages *pages;  /* threads that help to write large pieces; null: none */
};

/* Call once, before threads are started. */
void output_begin(void);

/*
 * Open an output; "-" is standard output. Devices and pipes are written directly; a terminal is refused. A file that
 * replaces another inherits its permissions, except set-user-ID and similar bits.
 */
bool output_open(struct output *output, const char *path, struct problem *problem);

/*
 * Let several threads write large pieces from now on, if the file is on a RAM disk. If the process is killed, the file
 * that it leaves behind may be longer than what was written.
 */
void output_share(struct output *output);

/* Append to the file. Small pieces are gathered, so that the file is written 256 KB at a time. */
bool output_write(struct output *output, const void *data, size_t length, struct problem *problem);

/* Append to the file at once, without a copy: first all gathered bytes, then these. */
bool output_write_now(struct output *output, const void *data, size_t length, struct problem *problem);

/*
 * Return whether both paths lead to one regular file, so that writing the output would replace its own source. For a
 * source "-" that is the file that standard input is redirected from.
 */
bool output_is_source(const char *path, const char *source);

/* Return whether the path is standard output and that is a terminal, which output_open() refuses. */
bool output_is_terminal(const char *path);

/* Return whether bytes can only be written in sequence: to standard output, devices and pipes. */
bool output_in_order(const struct output *output);

/*
 * Write bytes at an offset of the file; and set the length of the file. If bytes must be in order, offsets are ignored.
 */
bool output_write_at(struct output *output, uint64_t offset, const void *data, size_t length, struct problem *problem);
bool output_end_at(struct output *output, uint64_t length, struct problem *problem);

/* Give the file its final name. Whatever the result, the output is closed afterwards. */
bool output_commit(struct output *output, struct problem *problem);

/*
 * Keep what is written under a name that ends in .part even if the process is killed, the output is discarded or it
 * cannot be given its final name. Only a file that is written under a temporary name can be kept.
 */
void output_keep(struct output *output);

/* Drop what was written, unless it is kept. An output that is not open is allowed. */
void output_discard(struct output *output);

#endif
