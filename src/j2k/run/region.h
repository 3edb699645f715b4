/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares regions of an image, each of which is decoded as if the caller had asked for nothing else. */
#ifndef KOSTKA_J2K_RUN_REGION_H
#define KOSTKA_J2K_RUN_REGION_H

#include "j2k/packets/output.h"
#include "j2k/run/decode.h"

/*
 * Describe what decoding a region needs of the stream, for an image whose format is not AUTO. The region's coordinates
 * count from the first pixel of the options' region, before orientation. The result is the same as that part of the
 * options' region: smaller components may have samples beyond the region's border, except with KST_FORMAT_RAW, where
 * they may have no samples in the region.
 */
kst_status kst_j2k_run_region_describe(kst_decoder *decoder, const kst_decode_options *options, kst_format format,
    kst_region region, struct j2k_output *output);

/* Return the part of an image's plane that lies in a region whose output was described. */
kst_region kst_j2k_run_region_of_plane(const kst_decoder *decoder, const kst_decode_options *options,
    const struct j2k_output *output, kst_format format, kst_region region, uint32_t plane);

/*
 * Make a copy of an image that has the region's size, but the image's planes. Planes after the first four are in *more,
 * which must be released.
 */
kst_status kst_j2k_run_region_image(
    struct memory *memory, const kst_image *image, kst_region region, kst_image *copy, kst_plane **more);

/*
 * Reduce a plane of such a copy to its region, and return how many bytes the region begins behind the plane's first
 * sample.
 */
ptrdiff_t kst_j2k_run_region_cut(kst_image *copy, kst_plane *plane, kst_region region);

#endif
