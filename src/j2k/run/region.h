/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares regions of an image. JPEG 2000 decodes each of them as if the caller had asked for it alone. */
#ifndef KOSTKA_J2K_RUN_REGION_H
#define KOSTKA_J2K_RUN_REGION_H

#include "j2k/packets/output.h"
#include "j2k/run/decode.h"

/*
 * Describe what decoding a region needs of the stream, for an image of a format that is not AUTO. The region's
 * coordinates count from the first pixel of the options' region, before orientation. It is decoded like that one, for
 * which smaller components may have samples beyond its border; with KST_FORMAT_RAW they do not, and may have no samples
 * in the region.
 */
kst_status kst_j2k_run_region_describe(kst_decoder *decoder, const kst_decode_options *options, kst_format format,
    kst_region region, struct j2k_output *output);

/* Return the region of an image's plane that is in a region whose output was described. */
kst_region kst_j2k_run_region_of_plane(const kst_decoder *decoder, const kst_decode_options *options,
    const struct j2k_output *output, kst_format format, kst_region region, uint32_t plane);

/*
 * Make a copy of the image that has the region's size, with planes that are still the image's: those behind the first
 * four in *more, which is to be released.
 */
kst_status kst_j2k_run_region_image(
    struct memory *memory, const kst_image *image, kst_region region, kst_image *copy, kst_plane **more);

/* Makes a plane of that copy what is in its region, and says how many bytes lie before it. */
ptrdiff_t kst_j2k_run_region_cut(kst_image *copy, kst_plane *plane, kst_region region);

#endif
