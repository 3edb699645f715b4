/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out what APPn and COM segments hold, and lists the metadata of a stream for the API. */
#ifndef KOSTKA_JPEG_SYNTAX_METADATA_H
#define KOSTKA_JPEG_SYNTAX_METADATA_H

#include "core/operation.h"
#include "image/metadata.h"

/*
 * Describes an APPn or COM segment (B.2.4.5, B.2.4.6). Segments are listed in the stream's order, wherever in the
 * stream they stand.
 */
struct jpeg_marker_segment {
    uint64_t offset; /* offset of its contents, behind the length field */
    uint32_t length; /* length of its contents, 0–65533 */
    uint8_t marker;  /* 0xE0–0xEF or 0xFE */
};

enum jpeg_segment_kind {
    JPEG_SEGMENT_APP,
    JPEG_SEGMENT_COMMENT,
    JPEG_SEGMENT_JFIF,  /* JFIF (T.871), of any length: see kst_jpeg_segment_jfif() */
    JPEG_SEGMENT_ADOBE, /* of any length: see kst_jpeg_segment_adobe() */
    JPEG_SEGMENT_EXIF,  /* contents start with an identifier of 6 bytes */
    JPEG_SEGMENT_XMP,   /* contents start with an identifier of JPEG_XMP_HEADER bytes */
    /*
     * Contents start with JPEG_ICC_HEADER bytes: an identifier, the number of the chunk (from 1), the number of chunks.
     */
    JPEG_SEGMENT_ICC
};

enum { JPEG_SEGMENT_MAX = 65533, JPEG_EXIF_HEADER = 6, JPEG_XMP_HEADER = 29, JPEG_ICC_HEADER = 14 };

enum jpeg_segment_kind kst_jpeg_segment_kind(const uint8_t *data, const struct jpeg_marker_segment *segment);

struct jpeg_jfif {
    uint8_t major, minor;
    uint8_t unit; /* as coded; 0–2 by T.871 */
    uint16_t x, y;
};

/* Read a JFIF header. Returns false if the segment is not one, or is too short (less than 14 bytes, as in libjpeg). */
bool kst_jpeg_segment_jfif(const uint8_t *data, const struct jpeg_marker_segment *segment, struct jpeg_jfif *jfif);

/*
 * Read the transform code of an Adobe header. Returns false if the segment is not one, or is too short (less than 12
 * bytes).
 */
bool kst_jpeg_segment_adobe(const uint8_t *data, const struct jpeg_marker_segment *segment, uint8_t *transform);

/*
 * Turn `count` segments of the stream `data` into items. Items point into `data`, or into the joined ICC profile. If
 * chunks of an ICC profile are missing or contradict each other, a warning is reported and its segments stay plain APP2
 * items. If the segments together have more bytes than the limit on metadata, the error is KST_ERROR_LIMIT_METADATA. On
 * failure *metadata holds nothing.
 */
kst_status kst_jpeg_metadata_assemble(const struct operation *op, const uint8_t *data,
    const struct jpeg_marker_segment *segment, size_t count, bool strict, struct metadata_list *metadata);

#endif
