/* SPDX-License-Identifier: BSD-2-Clause */
/* What pixel formats hold. */
#ifndef KOSTKA_IMAGE_FORMAT_H
#define KOSTKA_IMAGE_FORMAT_H

#include <kostka/kostka.h>

/* The depth that a plane's `depth` stands for: 8 for 0. */
uint32_t kst_plane_depth(const kst_plane *plane);

/* Of integers 1 for a depth of up to 8, 2 up to 16, else 4; 2 for float16, 4 for float32. */
uint32_t kst_plane_sample_bytes(const kst_plane *plane);

/* Samples that one of the plane's pixels holds: the format's channels, 1 for PLANAR and RAW. */
uint32_t kst_format_samples(kst_format format);

/* The colour of an interleaved format; KST_COLOUR_UNKNOWN for the others. */
kst_colour kst_format_colour(kst_format format);

#endif
