/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoding gives: from options to an image and to a filter. */
#ifndef KOSTKA_J2K_PACKETS_OUTPUT_H
#define KOSTKA_J2K_PACKETS_OUTPUT_H

#include "j2k/packets/build.h"
#include "j2k/syntax/channels.h"

enum { J2K_OUTPUT_DEPTH = 31, J2K_OUTPUT_PLANES = 4 }; /* bits of a sample; planes in the image itself */

/* What a decoding takes of the stream, and what it shows: pixels on the reference grid, reduced. */
struct j2k_output {
    struct j2k_filter filter; /* its region may exceed what is shown by samples that are enlarged */
    struct j2k_rect shown;
};

/*
 * A pixel takes the sample of a smaller component that lies at it, or else the next one to the left and above: sample
 * ⌊x ÷ XRsiz⌋ of row ⌊y ÷ YRsiz⌋, which is limited to those that the component has. So what a pixel becomes does not
 * depend on the region, nor on tiles.
 */
static inline uint32_t j2k_sample_at(uint32_t at, uint32_t separation, uint32_t first, uint32_t end)
{
    uint32_t index = at / separation;
    return index < first ? first : index < end ? index : end - 1;
}

/*
 * Describe the image and what of the stream it needs. RAW: the components that are asked for, each of its own size,
 * depth and sign; the planes behind the first four go to `more`, which has room for as many as there are components
 * behind the first four, and the image then points there. KST_ERROR_OPTIONS, KST_ERROR_REGION, KST_ERROR_J2K_COLOUR,
 * KST_ERROR_IMAGE_DEPTH (more than J2K_OUTPUT_DEPTH bits) or KST_ERROR_IMAGE_SIZE (a component without samples).
 */
kst_status kst_j2k_output_describe(const struct j2k_stream *stream, const kst_decode_options *options, kst_image *image,
    kst_plane *more, struct j2k_output *output);

/* The channels that images of a format, not RAW, are made of: alpha only where there is room for it. */
void kst_j2k_output_channels(const struct j2k_stream *stream, kst_format format, struct j2k_channels *channels);

/* The component that plane `index` of a RAW image holds. */
uint32_t kst_j2k_output_component(const kst_decode_options *options, uint32_t index);

#endif
