/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a compression that is taken over. The system's library has started it, and writes SOI, the JFIF and Adobe
 * markers and the caller's markers. What follows them is made here: with standard codes while lines come, otherwise
 * after the last line. Meanwhile cinfo->main points to this structure: the system's library reads that member only in
 * its own jpeg_write_scanlines().
 */
#ifndef KOSTKA_COMPAT_LIBJPEG_ENCODE_H
#define KOSTKA_COMPAT_LIBJPEG_ENCODE_H

#include <kostka/kostka.h>

#include "original.h"

struct libjpeg_compression {
    const void *tag;
    struct jpeg_c_main_controller *main; /* that of the system's library */
    kst_context *context;
    kst_line_encoder *encoder; /* null: `image` holds the lines so far */
    kst_image image;
    kst_encode_options options;
    uint16_t quant[NUM_QUANT_TBLS][DCTSIZE2];
    kst_scan *script;
    size_t line;      /* bytes of a line of pixels */
    kst_buffer coded; /* with an encoder: the bytes that the last lines have made, in the encoder's memory */
    size_t written;   /* bytes of `coded` that have been written, or that the system's library writes */
    bool made;        /* `coded` is complete; with an encoder: the last bytes are in it */
};

/* encode.c: write bytes of `coded` up to `end`. Returns false if the destination suspends that. */
bool libjpeg_write_bytes(struct libjpeg_compression *c, j_compress_ptr cinfo, size_t end);

/* encode_lines.c: begin with standard codes. Returns false if the file would not be what cinfo describes. */
bool libjpeg_begin_lines(struct libjpeg_compression *c, j_compress_ptr cinfo);
/* Encode lines, and write the bytes that result. Returns how many lines count as written. */
JDIMENSION libjpeg_write_lines(
    struct libjpeg_compression *c, j_compress_ptr cinfo, JSAMPARRAY scanlines, JDIMENSION count);

/*
 * coded.c: return the offset behind the markers that the system's library writes; 0 if the headers are not what cinfo
 * describes.
 */
size_t libjpeg_coded_start(const kst_buffer *coded, j_compress_ptr cinfo);

#endif
