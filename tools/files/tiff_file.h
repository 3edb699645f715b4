/* SPDX-License-Identifier: BSD-2-Clause */
/* What reading and writing TIFF share. */
#ifndef KOSTKA_TOOL_TIFF_FILE_H
#define KOSTKA_TOOL_TIFF_FILE_H

#include "files/tiff_bytes.h"

/* What Photoshop's blocks have in front of them in a segment of JPEG, and how many bytes of them fit one. */
#define TIFF_PHOTOSHOP "Photoshop 3.0"
enum { PHOTOSHOP_HEADER = sizeof TIFF_PHOTOSHOP, PHOTOSHOP_MAX = 65533 - PHOTOSHOP_HEADER };

bool tiff_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);

#endif
