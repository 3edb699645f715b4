/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures that are decoded from JPEG 2000 and written strip by strip, as they would take too much memory. */
#ifndef KOSTKA_TOOL_STRIPS_H
#define KOSTKA_TOOL_STRIPS_H

#include "files/files.h"

/* A stream opened for it, and what is asked for. */
struct strips {
    const struct source *source;
    kst_decoder *decoder; /* null: not open */
    kst_decode_options options;
    kst_image image;      /* described, of the whole */
    uint32_t rows, first; /* of a strip, and of the first one */
    uint32_t count;       /* of strips at a time */
};

/*
 * Whether the source is JPEG 2000 whose pixels would take more than a quarter of the memory limit, and the target PNM,
 * PAM, PNG, TIFF or raw samples with all channels of a pixel together. Then it is to be closed.
 */
bool strips_open(struct strips *strips, const struct source *source, const struct file_settings *settings);
void strips_close(struct strips *strips);

bool strips_write(struct strips *strips, const char *name, const char *path, const struct file_settings *settings,
    struct problem *problem);

#endif
