/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts pictures of formats with a row reader to other formats, or to raw samples, row by row. */
#ifndef KOSTKA_TOOL_ROWS_ACROSS_H
#define KOSTKA_TOOL_ROWS_ACROSS_H

#include "files/files.h"

struct rows_across {
    const struct source *source;
    const struct file_settings *settings;
    const struct row_reader *reader;
    void *file;           /* null: not open */
    struct picture whole; /* the picture's shape and metadata, without pixels */
};

/*
 * Open the source, which has been read completely, if its format has a row reader and the target takes its pixels
 * unchanged: grey, RGB or RGBA. Returns whether it did; it must then be closed.
 */
bool rows_across_open(struct rows_across *across, const struct source *source, const struct file_settings *settings);
void rows_across_close(struct rows_across *across);

bool rows_across_write(struct rows_across *across, const char *path, struct problem *problem);

#endif
