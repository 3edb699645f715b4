/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the rows of a picture are written to while it is decoded or read. */
#ifndef KOSTKA_TOOL_ROWS_OUT_H
#define KOSTKA_TOOL_ROWS_OUT_H

#include "files/files.h"

struct rows_out {
    struct output *output;
    const struct row_format *format; /* null: rows lie in the file as they are, */
    void *file;                      /* otherwise what it is written by; null: it was not begun */
};

/* Whether the settings' target takes rows of such a picture as they are, all channels of a pixel together. */
bool rows_out_takes(const kst_image *image, const struct file_settings *settings);

/*
 * Write what comes in front of all rows of a picture, of which there is all but the pixels, to the settings' target. To
 * be ended in any case.
 */
bool rows_out_begin(struct rows_out *rows, struct output *output, const struct picture *whole,
    const struct file_settings *settings, struct problem *problem);

/* The same of a picture that the open decoder is going to give. */
bool rows_out_begin_decoded(struct rows_out *rows, struct output *output, const kst_decoder *decoder,
    const kst_image *image, const struct file_settings *settings, struct problem *problem);

/* The next rows, from the top. */
bool rows_out_add(
    struct rows_out *rows, struct picture *added, const struct file_settings *settings, struct problem *problem);

/* With whether all went well until then. */
bool rows_out_end(struct rows_out *rows, bool good, struct problem *problem);

#endif
