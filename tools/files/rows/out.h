/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the rows of a picture to a file while they are decoded or read. */
#ifndef KOSTKA_TOOL_ROWS_OUT_H
#define KOSTKA_TOOL_ROWS_OUT_H

#include "files/files.h"

struct rows_out {
    struct output *output;
    const struct row_format *format; /* the target's writer of rows; null: the file holds the bare rows */
    void *file;                      /* the state of that writer; null: it has not begun */
};

/* Return whether the settings' target takes rows of such a picture unchanged, with interleaved channels. */
bool rows_out_takes(const kst_image *image, const struct file_settings *settings);

/*
 * Begin the settings' target with everything in front of the rows. `whole` is the picture without pixels.
 * rows_out_end() must follow in any case.
 */
bool rows_out_begin(struct rows_out *rows, struct output *output, const struct picture *whole,
    const struct file_settings *settings, struct problem *problem);

/* Do the same for a picture that the open decoder will decode. */
bool rows_out_begin_decoded(struct rows_out *rows, struct output *output, const kst_decoder *decoder,
    const kst_image *image, const struct file_settings *settings, struct problem *problem);

/* Add the next rows, from the top. */
bool rows_out_add(
    struct rows_out *rows, struct picture *added, const struct file_settings *settings, struct problem *problem);

/* End the file; `good` says whether everything before it succeeded. */
bool rows_out_end(struct rows_out *rows, bool good, struct problem *problem);

#endif
