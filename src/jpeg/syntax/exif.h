/* SPDX-License-Identifier: BSD-2-Clause */
/* The little of Exif (CIPA DC-008, a TIFF structure) that the library looks at; the rest is carried, not interpreted.
 */
#ifndef KOSTKA_JPEG_SYNTAX_EXIF_H
#define KOSTKA_JPEG_SYNTAX_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Orientation (tag 0x0112 of IFD0), 1–8; 1 where there is none or the structure is damaged. */
int kst_exif_orientation(const uint8_t *tiff, size_t length);

/*
 * Set PixelXDimension and PixelYDimension (tags 0xA002 and 0xA003 of the Exif IFD) where they exist, as 32-bit numbers.
 * An Exif IFD with a single entry is left alone, as jpegtran leaves it. Does nothing where the structure is damaged.
 */
void kst_exif_set_size(uint8_t *tiff, size_t length, uint32_t width, uint32_t height);

/* Set the orientation, 1–8, where IFD0 has one. */
void kst_exif_set_orientation(uint8_t *tiff, size_t length, int orientation);

/*
 * Unlink IFD1, which describes a thumbnail, and clear the thumbnail's bytes where they lie behind it. Returns how many
 * bytes the structure has then: those are cut off where they were its last.
 */
size_t kst_exif_drop_thumbnail(uint8_t *tiff, size_t length);

#endif
