/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of formats with a row reader, PNG, TIFF and BMP, that are encoded while they are read. */
#ifndef KOSTKA_TOOL_ROWS_IN_H
#define KOSTKA_TOOL_ROWS_IN_H

#include "files/files.h"

struct rows_in {
    const struct source *source;
    const struct file_format *format;
    void *file;           /* null: not open */
    struct picture whole; /* what goes with the picture, as it is coded, of JPEG with 8 bits; without pixels */
    uint32_t depth;       /* of samples in the file */
    const struct file_settings *settings;
    uint8_t *row; /* room for a row of these; null where they have 8 bits as well */
    bool transparent;
    struct problem problem; /* of the rows */
};

/* Whether rows may be had of the source, of which the head has been read, before it is read on. It may then be mapped.
 */
bool rows_in_expect(struct source *source, const struct file_settings *settings);

/*
 * Whether the source, which may be read at any place or has been read, is such a file and to become JPEG, or JPEG 2000
 * as rows.h says. Then it is to be closed.
 */
bool rows_in_open(struct rows_in *in, const struct source *source, const struct file_settings *settings);
void rows_in_close(struct rows_in *in);

bool rows_in_encode(struct rows_in *in, const char *path, struct problem *problem);

#endif
