/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of an image that JPEG 2000 is decoded to, each as if it were all that is asked for. */
#ifndef KOSTKA_J2K_RUN_PART_H
#define KOSTKA_J2K_RUN_PART_H

#include "j2k/packets/output.h"
#include "j2k/run/decode.h"

/*
 * What it takes of the stream, for an image of a format that is not AUTO. The part is counted from the first pixel that
 * the options ask for, and not turned. It is what it is as a region, where smaller components reach beyond it;
 * components as they are do not, and may have no samples there.
 */
kst_status kst_j2k_part_describe(kst_decoder *decoder, const kst_decode_options *options, kst_format format,
    kst_region part, struct j2k_output *output);

/* What of an image's plane is in a part, of which the output was described. */
kst_region kst_j2k_part_of_plane(const kst_decoder *decoder, const kst_decode_options *options,
    const struct j2k_output *output, kst_format format, kst_region part, uint32_t plane);

/*
 * A copy of the image that has the part's size, with planes that are still the image's: those behind the first four in
 * *more, which is to be released.
 */
kst_status kst_j2k_part_image(
    struct memory *memory, const kst_image *image, kst_region part, kst_image *copy, kst_plane **more);

/* Makes a plane of that copy what is in its part, and says how many bytes lie before it. */
ptrdiff_t kst_j2k_part_cut(kst_image *copy, kst_plane *plane, kst_region part);

#endif
