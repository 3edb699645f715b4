/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes tar archives, which get their names once they are complete. */
#ifndef KOSTKA_TOOL_TAR_WRITE_H
#define KOSTKA_TOOL_TAR_WRITE_H

#include "files/output.h"

struct tar_writer {
    struct output output;
    struct archive *archive; /* null: none is open */
    struct archive_entry *entry;
    struct problem problem; /* problem of writing to the output */
    uint64_t bytes;         /* bytes written so far, or about to be written */
};

bool tar_begin(struct tar_writer *writer, const char *path, struct problem *problem);

/* Add a file. Owners, times and permissions are always the same, so that the same members make the same archive. */
bool tar_add(struct tar_writer *writer, const char *name, const void *data, size_t length, struct problem *problem);

/* Complete the archive, and give it its name. Whatever the result, the writer is closed afterwards. */
bool tar_end(struct tar_writer *writer, struct problem *problem);

/* Drop what was written. A writer that is not open is allowed. */
void tar_drop(struct tar_writer *writer);

/*
 * Return the name of archive `number`: the pattern, in which %d or a form such as %06d stands for the number, and %%
 * for a percent sign. The caller frees it; null if out of memory.
 */
char *tar_name(const char *pattern, uint64_t number);

/* Return whether a pattern is well-formed; `numbered` receives whether it contains a number. */
bool tar_pattern(const char *pattern, bool *numbered);

/* Return whether the pattern could have made a name. */
bool tar_is_named(const char *pattern, const char *name);

#endif
