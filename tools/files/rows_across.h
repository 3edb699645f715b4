/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of formats with a row reader that are written as such of others, or as samples, while they are read. */
#ifndef KOSTKA_TOOL_ROWS_ACROSS_H
#define KOSTKA_TOOL_ROWS_ACROSS_H

#include "files/files.h"

struct rows_across {
    const struct source *source;
    const struct file_settings *settings;
    const struct row_reader *reader;
    void *file;           /* null: not open */
    struct picture whole; /* what goes with the picture, without pixels */
};

/*
 * Whether the source, of which all has been read, is of such a format, and the target takes its pixels as they are:
 * grey, RGB or RGBA. Then it is to be closed.
 */
bool rows_across_open(struct rows_across *across, const struct source *source, const struct file_settings *settings);
void rows_across_close(struct rows_across *across);

bool rows_across_write(struct rows_across *across, const char *path, struct problem *problem);

#endif
