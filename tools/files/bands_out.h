/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG pictures that are written while they are decoded, a band of rows at a time. */
#ifndef KOSTKA_TOOL_BANDS_OUT_H
#define KOSTKA_TOOL_BANDS_OUT_H

#include <stdatomic.h>

#include "files/files.h"

/* A stream opened for it, and what is asked for. */
struct bands_out {
    const struct source *source;
    kst_decoder *decoder; /* null: not open */
    kst_decode_options options;
    kst_image image; /* described */
};

/*
 * Whether the source is JPEG, and what it decodes to goes to PNM, PAM, PGX, PNG, TIFF, BMP or raw samples as it is, all
 * channels of a pixel together. Then it is to be closed.
 */
bool bands_out_open(struct bands_out *bands, const struct source *source, const struct file_settings *settings);
void bands_out_close(struct bands_out *bands);

bool bands_out_write(
    struct bands_out *bands, const char *path, const struct file_settings *settings, struct problem *problem);

#endif
