/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the constants that the reader (bmp.c) and the writer (write.c) of BMP files share, and the writer. */
#ifndef KOSTKA_TOOL_BMP_FILE_H
#define KOSTKA_TOOL_BMP_FILE_H

#include "files/files.h"

#define BMP_INCH 0.0254 /* metres */

enum {
    BMP_FILE_HEADER = 14,     /* bytes in front of the DIB header */
    BMP_INFO = 40,            /* bytes of the DIB header of Windows */
    BMP_PROFILE = 124,        /* bytes of its version 5, which may have an ICC profile */
    BMP_EMBEDDED = 0x4D424544 /* "MBED" as the colour space: the profile is in the file itself */
};

/* The entry `write` of struct file_format. */
bool bmp_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);

#endif
