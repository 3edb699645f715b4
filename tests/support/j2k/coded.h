/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures in JPEG 2000. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_CODED_H
#define KOSTKA_TESTS_SUPPORT_J2K_CODED_H

#include <kostka/kostka.h>

/* Return options that encode JPEG 2000. `j2k` is borrowed; null takes the defaults. */
kst_encode_options j2k_coding(const kst_j2k_options *j2k);

/* Encode a picture. The caller releases the stream; the test fails if there is none. */
kst_buffer j2k_coded(kst_context *context, const kst_image *image, const kst_j2k_options *j2k);

/*
 * Encode a square RGB picture, half of it a slope, a quarter flat and a quarter noise, so that packets have all
 * lengths.
 */
kst_buffer j2k_coded_mixed(kst_context *context, uint32_t side, uint32_t *random, const kst_j2k_options *j2k);

/* Return where tile-part `number` of a stream starts, counted from 0; null if there are fewer. */
uint8_t *j2k_tile_part(const kst_buffer *stream, uint32_t number);

/* Put a COD that is too short into the empty header of a tile-part (T.800 A.6.1). */
void j2k_damage_header(kst_buffer *stream, uint32_t number);

#endif
