/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the oracle for encoding: what libjpeg writes with the options of kst_encode(). */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_LIBJPEG_ENCODE_H
#define KOSTKA_TESTS_SUPPORT_JPEG_LIBJPEG_ENCODE_H

#include <kostka/kostka.h>

/*
 * Encode as cjpeg would, with options as for kst_encode() and metadata of the kinds ICC, COMMENT and APP. RAW images
 * get the padding that libjpeg needs here. Returns false if libjpeg refuses. free() frees the result.
 */
bool libjpeg_encode(
    const kst_image *image, const kst_encode_options *options, unsigned char **data, unsigned long *length);

#endif
