/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exif in TIFF files. What its first directory says of the picture stands in the file's own; the directories of Exif
 * and of GPS lie in the file as they are in Exif, byte for byte but for where their values are.
 */
#ifndef KOSTKA_TOOL_TIFF_EXIF_H
#define KOSTKA_TOOL_TIFF_EXIF_H

#include "files/tiff_bytes.h"

/*
 * The order of bytes to write a file in, for the mode of tiff_open(): 'b' or 'l' as the picture's Exif has it, since
 * nobody knows what is in a maker's note; 0 where there is no Exif that can be read.
 */
char tiff_exif_order(const struct picture *picture);

/*
 * Write Exif and a comment to a file that has nothing but its header yet, and set their tags. `name` is the file's, for
 * warnings of what is dropped. False: out of memory, or the file cannot be written.
 */
bool tiff_exif_set(TIFF *tiff, struct tiff_bytes *file, const struct picture *picture, const char *name);

/*
 * Keep Exif, the description as a comment, and IPTC that is not among Photoshop's blocks, of the file's first
 * directory. The orientation, 1–8, is what is to be done to the pixels still. False: out of memory.
 */
bool tiff_exif_keep(const struct source *source, unsigned orientation, struct picture *picture);

#endif
