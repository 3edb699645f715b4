/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes JPEG 2000 and writes it strip by strip, if the whole picture would take too much memory. */
#ifndef KOSTKA_TOOL_STRIPS_H
#define KOSTKA_TOOL_STRIPS_H

#include "files/files.h"

/* Holds an open stream and the options to decode it with. */
struct strips {
    const struct source *source;
    kst_decoder *decoder; /* null: not open */
    kst_decode_options options;
    kst_image image;      /* a description of the whole image */
    uint32_t rows, first; /* rows of a strip, and of the first one */
    uint32_t count;       /* strips in memory at a time */
};

/*
 * Open the source if it is JPEG 2000 whose pixels would take more than a quarter of the memory limit, and if the target
 * is PNM, PAM, PNG, TIFF or raw samples with interleaved channels. Returns whether it did; it must then be closed.
 */
bool strips_open(struct strips *strips, const struct source *source, const struct file_settings *settings);
void strips_close(struct strips *strips);

bool strips_write(struct strips *strips, const char *name, const char *path, const struct file_settings *settings,
    struct problem *problem);

#endif
