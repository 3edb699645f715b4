/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates decoding options into the image that decoding delivers and the filter that it needs. */
#ifndef KOSTKA_J2K_PACKETS_OUTPUT_H
#define KOSTKA_J2K_PACKETS_OUTPUT_H

#include "j2k/packets/build.h"
#include "j2k/syntax/channels.h"

enum { J2K_OUTPUT_DEPTH = 31, J2K_OUTPUT_PLANES = 4 }; /* most bits of a sample; planes in the image struct itself */

/* Holds what a decoding reads of the stream, and the pixels that it shows, on the reduced reference grid. */
struct j2k_output {
    /* Its region may exceed `shown`, because subsampled components need samples outside of it. */
    struct j2k_filter filter;
    struct j2k_rect shown;
};

/*
 * Return the index of the sample that a pixel takes from a subsampled component: the sample at the pixel, or else the
 * next one to the left and above. This is sample ⌊x ÷ XRsiz⌋ of row ⌊y ÷ YRsiz⌋, limited to those that the component
 * has, `first` to `end` − 1. So the value of a pixel depends neither on the region nor on tiles.
 */
static inline uint32_t j2k_sample_at(uint32_t at, uint32_t separation, uint32_t first, uint32_t end)
{
    uint32_t index = at / separation;
    return index < first ? first : index < end ? index : end - 1;
}

/*
 * Describe the image and what it needs of the stream. A RAW image has the components that are asked for, each with its
 * own size, depth and sign. The first four planes are in the image itself; further ones go to `more`, which must have
 * room for all components behind the first four, and the image then points to it. Fails with KST_ERROR_OPTIONS,
 * KST_ERROR_REGION, KST_ERROR_J2K_COLOUR, KST_ERROR_IMAGE_DEPTH (more than J2K_OUTPUT_DEPTH bits) or
 * KST_ERROR_IMAGE_SIZE (a component without samples).
 */
kst_status kst_j2k_output_describe(const struct j2k_stream *stream, const kst_decode_options *options, kst_image *image,
    kst_plane *more, struct j2k_output *output);

/*
 * Find the channels that make up an image of a format other than RAW. Alpha is among them only if the format has room
 * for it.
 */
void kst_j2k_output_channels(const struct j2k_stream *stream, kst_format format, struct j2k_channels *channels);

/* Return the component that plane `index` of a RAW image holds. */
uint32_t kst_j2k_output_component(const kst_decode_options *options, uint32_t index);

#endif
