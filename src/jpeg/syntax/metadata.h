/* SPDX-License-Identifier: BSD-2-Clause */
/* What APPn and COM segments hold. */
#ifndef KOSTKA_JPEG_SYNTAX_METADATA_H
#define KOSTKA_JPEG_SYNTAX_METADATA_H

#include "core/memory.h"

/* An APPn or COM segment (B.2.4.5, B.2.4.6), anywhere in the stream, in the stream's order. */
struct jpeg_marker_segment {
    uint64_t offset; /* of its contents, behind the length field */
    uint32_t length; /* of its contents, 0–65533 */
    uint8_t marker;  /* 0xE0–0xEF or 0xFE */
};

enum jpeg_segment_kind {
    JPEG_SEGMENT_APP,
    JPEG_SEGMENT_COMMENT,
    JPEG_SEGMENT_JFIF,  /* T.871; of any length: see kst_jpeg_segment_jfif() */
    JPEG_SEGMENT_ADOBE, /* of any length, likewise */
    JPEG_SEGMENT_EXIF,  /* contents start with 6 bytes of identifier */
    JPEG_SEGMENT_XMP,   /* contents start with JPEG_XMP_HEADER bytes of identifier */
    JPEG_SEGMENT_ICC /* contents start with JPEG_ICC_HEADER bytes: identifier, number of the chunk (from 1), how many */
};

enum { JPEG_SEGMENT_MAX = 65533, JPEG_EXIF_HEADER = 6, JPEG_XMP_HEADER = 29, JPEG_ICC_HEADER = 14 };

enum jpeg_segment_kind kst_jpeg_segment_kind(const uint8_t *data, const struct jpeg_marker_segment *segment);

struct jpeg_jfif {
    uint8_t major, minor;
    uint8_t unit; /* as coded; 0–2 by T.871 */
    uint16_t x, y;
};

/* Read a JFIF header. False where the segment is none or too short for one (14 bytes), as libjpeg has it. */
bool kst_jpeg_segment_jfif(const uint8_t *data, const struct jpeg_marker_segment *segment, struct jpeg_jfif *jfif);

/* Read an Adobe header's transform code. False where the segment is none or too short for one (12 bytes). */
bool kst_jpeg_segment_adobe(const uint8_t *data, const struct jpeg_marker_segment *segment, uint8_t *transform);

/* The metadata of one stream as the API shows it: in the stream's order, JFIF and Adobe headers left out. */
struct jpeg_metadata {
    kst_metadata *item;
    size_t count;
    uint8_t *icc;    /* a profile joined from chunks, which one item points to; null: none or one chunk */
    int orientation; /* of the first Exif item; 1 where there is none */
};

/*
 * Sort out `count` segments of the stream `data`. Items point into `data`, or into the joined ICC profile. An ICC
 * profile whose chunks are missing or contradict each other is a warning and its segments stay plain APP2. More than
 * `limit` bytes of segments are KST_ERROR_LIMIT_METADATA. On failure, *metadata holds nothing.
 */
kst_status kst_jpeg_metadata_assemble(struct memory *memory, const uint8_t *data,
    const struct jpeg_marker_segment *segment, size_t count, uint64_t limit, bool strict, kst_report *report,
    struct jpeg_metadata *metadata);

void kst_jpeg_metadata_release(struct memory *memory, struct jpeg_metadata *metadata);

#endif
