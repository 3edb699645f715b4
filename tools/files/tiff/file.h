/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the reader and the writer of TIFF share. */
#ifndef KOSTKA_TOOL_TIFF_FILE_H
#define KOSTKA_TOOL_TIFF_FILE_H

#include "files/tiff/bytes.h"

bool tiff_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);

#endif
