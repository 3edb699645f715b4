/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures of formats with a row reader (PNG, TIFF and BMP) while they are read. */
#ifndef KOSTKA_TOOL_ROWS_IN_H
#define KOSTKA_TOOL_ROWS_IN_H

#include "files/files.h"

struct rows_in {
    const struct source *source;
    const struct file_format *format;
    void *file;           /* null: not open */
    struct picture whole; /* shape and metadata of the picture as it is encoded (8 bits for JPEG), without pixels */
    uint32_t depth;       /* of samples in the file */
    const struct file_settings *settings;
    uint8_t *row; /* room for a row of the file's samples; null if these have 8 bits */
    bool transparent;
    struct problem problem; /* the problem with reading rows */
};

/* Return whether the source, of which only the head has been read, may be read row by row. This may map it. */
bool rows_in_expect(struct source *source, const struct file_settings *settings);

/*
 * Open the source, a regular file or one in memory, if it has a row reader and the target is JPEG, or JPEG 2000 under
 * the conditions of rows.h. Returns whether it did; it must then be closed.
 */
bool rows_in_open(struct rows_in *in, const struct source *source, const struct file_settings *settings);
void rows_in_close(struct rows_in *in);

bool rows_in_encode(struct rows_in *in, const char *path, struct problem *problem);

#endif
