/* SPDX-License-Identifier: BSD-2-Clause */
/* What a JPEG stream to be written shall be: everything but its samples or coefficients. */
#ifndef KOSTKA_JPEG_PLAN_ENCODING_H
#define KOSTKA_JPEG_PLAN_ENCODING_H

#include "jpeg/plan/frame.h"

/* JFIF's APP0 and Adobe's APP14. */
struct jpeg_header {
    bool jfif;
    bool adobe;
    uint8_t adobe_transform; /* 0: none, 1: YCbCr, 2: YCCK */
    uint16_t jfif_version;   /* major × 256 + minor */
    kst_density_unit density_unit;
    uint16_t density_x, density_y;
};

struct jpeg_encoding {
    struct jpeg_frame frame; /* components that share a `tq` have equal tables */
    struct jpeg_header header;
    const kst_metadata *metadata; /* checked by kst_jpeg_metadata_check() */
    size_t metadata_count;
    kst_coding coding;
    uint8_t huffman[JPEG_COMPONENTS]; /* destination of each component's DC and AC tables, 0 or 1 */
    const kst_scan *script;           /* checked by kst_jpeg_script_check(); null: the standard one for `coding` */
    size_t script_length;
    kst_restart restart; /* KST_RESTART_NONE, MCUS or ROWS */
};

/* Header and Huffman destinations as libjpeg sets them for a colour space: JFIF 1.1 with a 1:1 ratio, or Adobe. */
void kst_jpeg_encoding_colour(struct jpeg_encoding *encoding, kst_colour colour);

/* MCUs between restart markers in a scan, 0–65535; 0: none. */
uint32_t kst_jpeg_restart_interval(const kst_restart *restart, const struct jpeg_scan_geometry *geometry);

/* Annex K.1's table for luminance (0) or chrominance (1), scaled to an IJG quality 1–100. `limit`: 255 or 32767. */
/* Its entry `index`, in raster order. */
uint16_t kst_jpeg_quality_value(int quality, int chroma, uint16_t limit, uint32_t index);
void kst_jpeg_quality_table(int quality, int chroma, uint16_t limit, uint16_t table[64]);

#endif
