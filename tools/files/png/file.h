/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what reading and writing PNG share. */
#ifndef KOSTKA_TOOL_PNG_FILE_H
#define KOSTKA_TOOL_PNG_FILE_H

#include "files/files.h"
#include "files/png/library.h"

#define PNG_INCH 0.0254 /* metres */

/* libpng's errors: the text goes to the struct problem that is its error pointer, and control to where setjmp was. */
PNG_NORETURN void PNGCBAPI png_failed(png_structp png, png_const_charp text);
void PNGCBAPI png_warned(png_structp png, png_const_charp text);

bool png_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);

#endif
