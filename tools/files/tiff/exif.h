/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes Exif in TIFF files. The entries of Exif's first directory become entries of the file's own
 * directory; the directories of Exif and of GPS are the same bytes in the file as in Exif, except for the offsets of
 * their values.
 */
#ifndef KOSTKA_TOOL_TIFF_EXIF_H
#define KOSTKA_TOOL_TIFF_EXIF_H

#include "files/tiff/bytes.h"

/*
 * Return the byte order to write a file in, for the mode of tiff_open(): 'b' or 'l' as in the picture's Exif, because a
 * maker's note of unknown contents cannot be converted; 0 if there is no readable Exif.
 */
char tiff_exif_order(const struct picture *picture);

/*
 * Write Exif and a comment to a file that so far has only its header, and set their tags. `name` is the file's, for
 * warnings about what is dropped. Returns false if out of memory, or if the file cannot be written.
 */
bool tiff_exif_set(TIFF *tiff, struct tiff_bytes *file, const struct picture *picture, const char *name);

/*
 * Keep metadata of the file's first directory: Exif, the description as a comment, and IPTC that is not among
 * Photoshop's blocks. `orientation`, 1–8, is what must still be applied to the pixels. Returns false if out of memory.
 */
bool tiff_exif_keep(const struct source *source, unsigned orientation, struct picture *picture);

#endif
