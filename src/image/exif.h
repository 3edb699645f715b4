/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the few parts of Exif (CIPA DC-008, a TIFF structure) that the library reads or changes: orientation,
 * picture size and thumbnail. All else is copied without interpretation.
 */
#ifndef KOSTKA_IMAGE_EXIF_H
#define KOSTKA_IMAGE_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return the orientation (tag 0x0112 of IFD0), 1–8; 1 if there is none or the structure is damaged. */
int kst_exif_orientation(const uint8_t *tiff, size_t length);

/*
 * Set PixelXDimension and PixelYDimension (tags 0xA002 and 0xA003 of the Exif IFD), if they exist, as 32-bit numbers.
 * An Exif IFD with a single entry is left alone, as jpegtran does. A damaged structure is not changed.
 */
void kst_exif_set_size(uint8_t *tiff, size_t length, uint32_t width, uint32_t height);

/* Set the orientation, 1–8, if IFD0 has one. */
void kst_exif_set_orientation(uint8_t *tiff, size_t length, int orientation);

/*
 * Unlink IFD1, which describes a thumbnail, and clear the bytes of the thumbnail if they lie behind IFD1. Returns the
 * length of the structure afterwards: the thumbnail is cut off if its bytes were the last ones.
 */
size_t kst_exif_drop_thumbnail(uint8_t *tiff, size_t length);

#endif
