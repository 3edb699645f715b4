/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads GIF files (GIF87a and GIF89a) through giflib. */
#ifndef KOSTKA_TOOL_GIF_FILE_H
#define KOSTKA_TOOL_GIF_FILE_H

#include "files/files.h"

/* These are the entries `read` and `describe` of struct file_format. */
bool gif_read(const struct source *source, const struct file_settings *settings, struct picture *picture,
    struct problem *problem);
bool gif_describe(const struct source *source, const struct file_settings *settings, struct picture *picture,
    struct problem *problem);

#endif
