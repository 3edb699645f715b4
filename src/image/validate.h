/* SPDX-License-Identifier: BSD-2-Clause */
/* Says whether an image description can be read or written without leaving the caller's buffers. */
#ifndef KOSTKA_IMAGE_VALIDATE_H
#define KOSTKA_IMAGE_VALIDATE_H

#include "core/shared.h"
#include "image/format.h"

enum { KST_IMAGE_PLANES_MAX = 4, KST_IMAGE_DEPTH_MAX = 31 }; /* planes in the image itself; bits of an integer */

/*
 * Compute the bytes of a row without padding, and of all rows at a pitch. Returns false if one of them exceeds
 * PTRDIFF_MAX, or if rows would overlap. The sign of the pitch does not matter, nor does the pitch of a single row.
 */
bool kst_plane_extent(const kst_plane *plane, kst_format format, size_t *row, size_t *extent);

/* Return whether samples lie at multiples of their length, the first one at `first`. */
bool kst_plane_is_aligned(const kst_plane *plane, uint64_t first);

/*
 * Check the format, the size, and the number, depths and sizes of the planes, but not their buffers. KST_ERROR_ARGUMENT
 * (null, `size` not set), KST_ERROR_IMAGE_FORMAT, KST_ERROR_IMAGE_SIZE, KST_ERROR_IMAGE_DEPTH, KST_ERROR_IMAGE_SAMPLE.
 */
KST_SHARED kst_status kst_image_check_shape(const kst_image *image);

/*
 * Check the shape and the buffers of an image in host memory. In addition to the shape's errors it returns
 * KST_ERROR_IMAGE_MEMORY (another memory kind), KST_ERROR_ARGUMENT (a null plane) and KST_ERROR_IMAGE_PITCH (rows that
 * overlap or leave the address space, or samples that are not at multiples of their length).
 */
KST_SHARED kst_status kst_image_check(const kst_image *image);

/*
 * Return KST_OK if a checked image has the format, size and planes of `wanted`, whatever the pitches; otherwise
 * KST_ERROR_IMAGE_FORMAT, KST_ERROR_IMAGE_SIZE, KST_ERROR_IMAGE_DEPTH or KST_ERROR_IMAGE_SAMPLE.
 */
KST_SHARED kst_status kst_image_match(const kst_image *image, const kst_image *wanted);

/* Return KST_ERROR_IMAGE_OVERLAP if two checked images share memory, otherwise KST_OK. */
KST_SHARED kst_status kst_image_check_apart(const kst_image *a, const kst_image *b);

#endif
