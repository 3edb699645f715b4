/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes the index of a file with several pictures: MPF (CIPA DC-007), an APP2 segment of the first picture.
 */
#ifndef KOSTKA_JPEG_SYNTAX_MPF_H
#define KOSTKA_JPEG_SYNTAX_MPF_H

#include "jpeg/syntax/metadata.h"

/*
 * The contents of the segment start with "MPF" and a zero byte. Behind them stands the MP header, from which offsets
 * count.
 */
enum { JPEG_MPF_HEADER = 4 };

/* Types of pictures, which are the lower 24 bits of an entry's attribute (DC-007 5.2.3.3). */
enum jpeg_mpf_type {
    JPEG_MPF_UNDEFINED = 0,
    JPEG_MPF_LARGE_THUMBNAIL_VGA = 0x010001,
    JPEG_MPF_LARGE_THUMBNAIL_FULL_HD = 0x010002,
    JPEG_MPF_PANORAMA = 0x020001,
    JPEG_MPF_DISPARITY = 0x020002,
    JPEG_MPF_MULTI_ANGLE = 0x020003,
    JPEG_MPF_PRIMARY = 0x030000,
    JPEG_MPF_ORIGINAL = 0x040000,
    JPEG_MPF_GAIN_MAP = 0x050000
};

/* Holds the place of the entries in the contents of a segment; all of them lie inside. */
struct jpeg_mpf {
    bool big_endian;
    size_t entries; /* offset of the first entry in the contents of the segment */
    uint32_t count; /* at most 4,095: a segment has no room for more */
};

struct jpeg_mpf_entry {
    uint32_t attribute;
    uint32_t size;
    uint32_t offset; /* counted from the MP header; 0 for the first picture */
};

/* Return whether a segment is an MPF segment, even if it is damaged or has no index. */
bool kst_jpeg_segment_mpf(const uint8_t *data, const struct jpeg_marker_segment *segment);

/*
 * Return whether a segment makes no sense once the pictures behind its own are removed: an MPF segment, or the mark of
 * ISO 21496-1.
 */
bool kst_jpeg_segment_promises(const uint8_t *data, const struct jpeg_marker_segment *segment);

/* Return whether a segment is the mark, or the metadata, of a gain map by ISO 21496-1. */
bool kst_jpeg_segment_gain_map(const uint8_t *data, const struct jpeg_marker_segment *segment);

/*
 * Find the index in the contents of a segment. Returns false if there is none, or if it does not lie inside the
 * contents.
 */
bool kst_jpeg_mpf_open(const uint8_t *contents, size_t length, struct jpeg_mpf *mpf);

struct jpeg_mpf_entry kst_jpeg_mpf_entry(const uint8_t *contents, const struct jpeg_mpf *mpf, uint32_t index);

/* Set the size and the offset of an entry; its attribute stays. */
void kst_jpeg_mpf_set(
    uint8_t *contents, const struct jpeg_mpf *mpf, uint32_t index, const struct jpeg_mpf_entry *entry);

#endif
