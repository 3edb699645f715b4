/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what reading and writing PNG share. */
#ifndef KOSTKA_TOOL_PNG_FILE_H
#define KOSTKA_TOOL_PNG_FILE_H

#include "files/files.h"
#include "files/png/library.h"

#define PNG_INCH 0.0254 /* metres */

/*
 * Handles errors of libpng: puts the text into the struct problem that is libpng's error pointer, and jumps to
 * setjmp().
 */
PNG_NORETURN void PNGCBAPI png_failed(png_structp png, png_const_charp text);
void PNGCBAPI png_warned(png_structp png, png_const_charp text);

bool png_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);

#endif
