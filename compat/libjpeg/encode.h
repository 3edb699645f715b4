/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a compression that is taken over. The system's library has started it and writes SOI, JFIF, Adobe's and the
 * caller's markers; what follows them is made here when the last line has come. While that lasts, cinfo->main points to
 * this structure: the system's library reads that member in its own jpeg_write_scanlines() alone.
 */
#ifndef KOSTKA_COMPAT_LIBJPEG_ENCODE_H
#define KOSTKA_COMPAT_LIBJPEG_ENCODE_H

#include <kostka/kostka.h>

#include "original.h"

struct libjpeg_compression {
    const void *tag;
    struct jpeg_c_main_controller *main; /* the system's library's */
    kst_context *context;
    kst_image image; /* holds the lines so far */
    kst_encode_options options;
    uint16_t quant[NUM_QUANT_TBLS][DCTSIZE2];
    kst_scan *script;
    size_t line; /* bytes of a line of pixels */
    kst_buffer coded;
    size_t written; /* bytes of `coded` that need not be written any more */
    bool made;      /* `coded` is there */
};

/* coded.c: find where the markers end that the system's library writes. 0: the frame is not what cinfo says. */
size_t libjpeg_coded_start(const kst_buffer *coded, j_compress_ptr cinfo);

#endif
