/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes the texts of PNG files: XMP, comments, and IPTC in the form that ImageMagick introduced, a "raw
 * profile" of hexadecimal digits.
 */
#ifndef KOSTKA_TOOL_PNG_TEXT_H
#define KOSTKA_TOOL_PNG_TEXT_H

#include "files/picture.h"
#include "files/png/library.h"

/*
 * Keep the text of a chunk if it is XMP, a comment or IPTC. The text may be at most PNG_TEXT_RATIO times as long as the
 * chunk's data in the file, but PNG_TEXT_LEAST bytes are always allowed. Returns false if out of memory.
 */
enum { PNG_TEXT_RATIO = 16, PNG_TEXT_LEAST = 1 << 16 };
bool png_text_keep(struct picture *picture, const png_byte type[4], const uint8_t *data, size_t length);

/* Pass a picture's texts to libpng, which may leave this function by longjmp(). */
void png_text_set(png_structp png, png_infop info, const struct picture *picture);

/* Pass bytes to libpng as a text "Raw profile type NAME". libpng may leave this function by longjmp(), too. */
void png_text_set_profile(png_structp png, png_infop info, const char *name, const uint8_t *data, size_t length);

#endif
