/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a compression that is taken over. The system's library has started it and writes SOI, JFIF, Adobe's and the
 * caller's markers; what follows them is made here, with standard codes while lines come, otherwise when the last line
 * has come. While that lasts, cinfo->main points to this structure: the system's library reads that member in its own
 * jpeg_write_scanlines() alone.
 */
#ifndef KOSTKA_COMPAT_LIBJPEG_ENCODE_H
#define KOSTKA_COMPAT_LIBJPEG_ENCODE_H

#include <kostka/kostka.h>

#include "original.h"

struct libjpeg_compression {
    const void *tag;
    struct jpeg_c_main_controller *main; /* the system's library's */
    kst_context *context;
    kst_line_encoder *encoder; /* null: `image` holds the lines so far */
    kst_image image;
    kst_encode_options options;
    uint16_t quant[NUM_QUANT_TBLS][DCTSIZE2];
    kst_scan *script;
    size_t line;      /* bytes of a line of pixels */
    kst_buffer coded; /* with an encoder: what it has made since the last lines, its memory */
    size_t written;   /* bytes of `coded` that need not be written any more */
    bool made;        /* `coded` is there; with an encoder: to its end */
};

/* encode.c: write bytes of `coded` up to `end`. False: the destination has suspended that. */
bool libjpeg_write_bytes(struct libjpeg_compression *c, j_compress_ptr cinfo, size_t end);

/* encode_lines.c: begin with standard codes; false if the file would not be what cinfo says. */
bool libjpeg_begin_lines(struct libjpeg_compression *c, j_compress_ptr cinfo);
/* Encode lines, and write what that makes. Returns how many count as taken. */
JDIMENSION libjpeg_write_lines(
    struct libjpeg_compression *c, j_compress_ptr cinfo, JSAMPARRAY scanlines, JDIMENSION count);

/* coded.c: find where the markers end that the system's library writes. 0: the frame is not what cinfo says. */
size_t libjpeg_coded_start(const kst_buffer *coded, j_compress_ptr cinfo);

#endif
