/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of PNG files: XMP, comments, and IPTC as ImageMagick began to write it: hexadecimal in a "raw profile". */
#ifndef KOSTKA_TOOL_PNG_TEXT_H
#define KOSTKA_TOOL_PNG_TEXT_H

#include "files/picture.h"
#include "files/png_library.h"

/*
 * Keep a chunk's text, if it is one of these, from its data as they are in the file: at most PNG_TEXT_RATIO times as
 * long as those, and PNG_TEXT_LEAST bytes in any case. False: out of memory.
 */
enum { PNG_TEXT_RATIO = 16, PNG_TEXT_LEAST = 1 << 16 };
bool png_text_keep(struct picture *picture, const png_byte type[4], const uint8_t *data, size_t length);

/* Hand those of a picture over to libpng, which may jump out of here. */
void png_text_set(png_structp png, png_infop info, const struct picture *picture);

/* Likewise bytes as a text "Raw profile type NAME". */
void png_text_set_profile(png_structp png, png_infop info, const char *name, const uint8_t *data, size_t length);

#endif
