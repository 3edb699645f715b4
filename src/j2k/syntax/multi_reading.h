/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how the marker segments of a multiple component transform (T.801) are found and read: which segments of a
 * header describe which array and which stage, and a cursor that goes through the segments of a series as if they were
 * one.
 */
#ifndef KOSTKA_J2K_SYNTAX_MULTI_READING_H
#define KOSTKA_J2K_SYNTAX_MULTI_READING_H

#include "core/report.h"
#include "j2k/syntax/stream.h"

enum { J2K_MULTI_ARRAYS = 3 /* kinds of arrays */, J2K_MULTI_INDICES = 256 };

/* Describes the segments that define an array or a stage: one, or a series of segments of the same header. */
struct j2k_multi_series {
    uint32_t segment; /* number of the first one in stream.segment, plus 1; 0: there is none */
    uint32_t parts;   /* how many of the series' segments were found */
    uint32_t last;    /* Ymct or Ymcc: the number of the last one, counted from 0 */
    uint16_t name;    /* Imct of all segments of the series */
};

/* Holds which segments of a header, the main one or that of a tile's first tile-part, describe what. */
struct j2k_multi_header {
    struct j2k_multi_series array[J2K_MULTI_ARRAYS][J2K_MULTI_INDICES], stage[J2K_MULTI_INDICES];
    uint32_t order, depths; /* MCO and CBD: number of the segment in stream.segment, plus 1; 0: there is none */
    uint32_t end;           /* number of the segment behind the header's last one */
};

/* Points to a byte in a series of segments. */
struct j2k_multi_cursor {
    const char *name; /* of the marker, for messages */
    uint32_t segment; /* number in stream.segment */
    uint32_t end;     /* number of the segment behind the header's last one */
    const uint8_t *data;
    size_t length, at;
    uint64_t offset; /* offset of data[0] in the stream */
    size_t rest;     /* bytes in further segments of the series */
};

/* Holds the state of reading a description. */
struct j2k_multi_reading {
    const struct operation *op;
    const struct j2k_stream *stream;
    struct j2k_multi *multi;
    const struct j2k_multi_header *main, *own; /* `own` is the tile's header, which comes first; null: there is none */
    struct j2k_multi_cursor cursor;
    uint32_t collection_capacity, index_capacity, array_capacity, stage_capacity;
    int16_t first_of[J2K_MULTI_INDICES]; /* stage that MCC with this index describes; −1: none yet */
};

/*
 * Find out what the segments of a header describe. `first` is the number of its first segment in stream.segment. An
 * incomplete series, or something that is described twice, is an error.
 */
kst_status kst_j2k_multi_index(
    struct j2k_multi_reading *reading, uint32_t first, uint32_t count, struct j2k_multi_header *header);

/* Point to the contents of a segment, or to what follows Zmct to Ymct or Zmcc to Ymcc in a series. */
void kst_j2k_multi_open(struct j2k_multi_reading *reading, uint32_t segment, uint32_t end, const char *name);
void kst_j2k_multi_open_series(
    struct j2k_multi_reading *reading, const struct j2k_multi_series *series, const struct j2k_multi_header *header);

/* Return how many bytes are left; and take a number of up to 8 bytes, which must be left. */
size_t kst_j2k_multi_left(const struct j2k_multi_reading *reading);
uint64_t kst_j2k_multi_take(struct j2k_multi_reading *reading, uint32_t bytes);

/* Report an error at the cursor. */
kst_status kst_j2k_multi_refuse(const struct j2k_multi_reading *reading, kst_status status, const char *what);

#endif
