/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JPEG and JPEG 2000 pictures while they are decoded, a band of rows at a time. */
#ifndef KOSTKA_TOOL_BANDS_OUT_H
#define KOSTKA_TOOL_BANDS_OUT_H

#include <stdatomic.h>

#include "files/files.h"

/* Holds an open stream and the options to decode it with. */
struct bands_out {
    const struct source *source;
    kst_decoder *decoder; /* null: not open */
    kst_decode_options options;
    kst_image image; /* a description without pixels */
};

/*
 * Open the source if it is JPEG or JPEG 2000 and decodes to pixels that the target (PNM, PAM, PGX, PNG, TIFF, BMP or
 * raw samples) takes unchanged, with interleaved channels. Returns whether it did; the stream must then be closed.
 */
bool bands_out_open(struct bands_out *bands, const struct source *source, const struct file_settings *settings);
void bands_out_close(struct bands_out *bands);

bool bands_out_write(
    struct bands_out *bands, const char *path, const struct file_settings *settings, struct problem *problem);

#endif
