/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the description of a JPEG stream to be written: everything except its samples or coefficients. */
#ifndef KOSTKA_JPEG_PLAN_ENCODING_H
#define KOSTKA_JPEG_PLAN_ENCODING_H

#include "jpeg/plan/frame.h"

/* Holds the contents of the JFIF header (APP0) and of the Adobe header (APP14). */
struct jpeg_header {
    bool jfif;
    bool adobe;
    uint8_t adobe_transform; /* 0: none, 1: YCbCr, 2: YCCK */
    uint16_t jfif_version;   /* major × 256 + minor */
    kst_density_unit density_unit;
    uint16_t density_x, density_y;
};

enum { JPEG_STORED_MOST = 1 << 26 }; /* the usual value of `stored_most` */

struct jpeg_encoding {
    struct jpeg_frame frame; /* components that share a `tq` have equal tables */
    struct jpeg_header header;
    const kst_metadata *metadata; /* checked by kst_jpeg_metadata_check() */
    size_t metadata_count;
    kst_coding coding;
    kst_dct dct;
    uint8_t huffman[JPEG_COMPONENTS]; /* destination of each component's DC and AC tables, 0 or 1 */
    const kst_scan *script;           /* checked by kst_jpeg_script_check(); null: the standard one for `coding` */
    size_t script_length;
    kst_restart restart; /* KST_RESTART_NONE, MCUS or ROWS */
    /*
     * For a picture that is coded with tables made for it and without a script of the caller's: the most bytes of
     * coefficients to keep in memory. A picture with more is read twice for each scan, for its tables and for its code.
     * UINT64_MAX if it cannot be read again.
     */
    uint64_t kept_most;
    /*
     * For any other picture that is encoded, and for one that is transcoded: the most bytes of coefficients that are
     * kept as they are rather than packed in a store. With UINT64_MAX, which tests compare with, transcoding keeps them
     * in any case.
     */
    uint64_t stored_most;
};

/*
 * Set the header and the Huffman destinations as libjpeg does for a colour space: a JFIF 1.1 header with a ratio of
 * 1:1, or an Adobe header.
 */
void kst_jpeg_encoding_colour(struct jpeg_encoding *encoding, kst_colour colour);

/*
 * Return the coding that a frame gets if `wanted` is asked for: deep pictures always get their own Huffman tables,
 * since the standard ones have no codes for their longer coefficients.
 */
kst_coding kst_jpeg_encoding_coding(const struct jpeg_frame *frame, kst_coding wanted);

/* Return the number of MCUs between restart markers in a scan, 0–65535; 0: no restart markers. */
uint32_t kst_jpeg_restart_interval(const kst_restart *restart, const struct jpeg_scan_geometry *geometry);

/*
 * Return the table of annex K.1 for luminance (`chroma` 0) or chrominance (1), in raster order, scaled to an IJG
 * quality of 1–100. `limit` is the largest value allowed, 255 or 32767. The first function computes only the entry at
 * `index`.
 */
uint16_t kst_jpeg_quality_value(int quality, int chroma, uint16_t limit, uint32_t index);
void kst_jpeg_quality_table(int quality, int chroma, uint16_t limit, uint16_t table[64]);

#endif
