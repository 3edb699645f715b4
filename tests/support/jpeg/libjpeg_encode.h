/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides the oracle: what libjpeg writes for the options of kst_encode(). */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_LIBJPEG_ENCODE_H
#define KOSTKA_TESTS_SUPPORT_JPEG_LIBJPEG_ENCODE_H

#include <kostka/kostka.h>

/*
 * Encode as cjpeg would. Options as for kst_encode(), with metadata of the kinds ICC, COMMENT and APP; RAW images with
 * any padding that libjpeg wants made here. Returns false where libjpeg refuses. free() the result.
 */
bool libjpeg_encode(
    const kst_image *image, const kst_encode_options *options, unsigned char **data, unsigned long *length);

#endif
