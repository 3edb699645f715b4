/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how pictures are turned as their Exif orientation says. */
#ifndef KOSTKA_IMAGE_ORIENT_H
#define KOSTKA_IMAGE_ORIENT_H

#include <kostka/kostka.h>

/* Return whether an orientation exchanges width and height (5–8). */
bool kst_orientation_swaps(int orientation);

/* Exchange width and height of a description, with rows that have no gaps. */
void kst_image_swap_sides(kst_image *image);

/*
 * Write `from`, stored with Exif orientation 1–8, upright to `to`. Both are host images with buffers that do not
 * overlap, of the same format and depths, not RAW; `to` has width and height exchanged where the orientation does so.
 * The errors are those of kst_image_check() and kst_image_match(), and KST_ERROR_ARGUMENT for another orientation.
 */
kst_status kst_image_orient(const kst_image *from, const kst_image *to, int orientation);

#endif
