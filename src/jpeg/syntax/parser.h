/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the state and the functions that the files of the parser share. */
#ifndef KOSTKA_JPEG_SYNTAX_PARSER_H
#define KOSTKA_JPEG_SYNTAX_PARSER_H

#include "core/pool.h"
#include "core/report.h"
#include "jpeg/syntax/parse.h"

enum { NOT_IN_PLAN = -1 };

/* Describes a destination for Huffman tables, with the table that the last DHT put there. */
struct jpeg_huffman_slot {
    struct jpeg_huffman table;
    bool defined;
    int index; /* index in the plan, or NOT_IN_PLAN until a scan uses the table */
};

struct jpeg_parser {
    const struct operation *op;
    bool presuming; /* the end is presumed rather than searched for */
    bool lossless;  /* the process is the lossless one; otherwise it must not be */
    bool deep;      /* samples of the other processes have 12 bits; otherwise they must have 8 */
    struct jpeg_stream *stream;
    const uint8_t *data;
    size_t length;
    size_t position; /* offset of the next byte to read */
    uint32_t markers;
    uint16_t quant[JPEG_TABLES][64];
    bool quant_defined[JPEG_TABLES];
    bool latched[JPEG_COMPONENTS];                    /* the component's quantisation table is settled */
    bool scanned[JPEG_COMPONENTS];                    /* lossless: a scan holds the component */
    struct jpeg_huffman_slot huffman[2][JPEG_TABLES]; /* by class and destination */
    uint32_t restart_interval;
    bool frame_seen;
    uint64_t frame_offset;
    uint32_t scan_capacity, segment_capacity, huffman_capacity, application_capacity;
};

/* Holds the contents of a marker segment. */
struct jpeg_segment_reader {
    const uint8_t *data;
    size_t length;
    size_t offset; /* offset of data[0] in the stream */
};

/*
 * Make room for one more element in an array, whose capacity doubles each time it grows. Returns KST_OK, or
 * KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY, which are reported.
 */
kst_status kst_jpeg_parser_grow(
    struct jpeg_parser *parser, void **array, uint32_t count, uint32_t *capacity, size_t size);

/*
 * Return the offset of the 0xFF in front of the next marker code at or behind `from` (the last one of several), or the
 * stream's length if there is no marker. *fill (which may be null) is raised to the length of the longest run of bytes
 * 0xFF on the way that is followed by a zero.
 */
size_t kst_jpeg_find_marker(const uint8_t *data, size_t length, size_t from, uint32_t *fill);

/*
 * Do the same if the next marker is likely to be the last one, close to the end of the data: many threads (null: none)
 * search for it. `searched` (null: none) is called with the parts of long data that were searched.
 */
size_t kst_jpeg_find_last_marker(struct pool *threads, const kst_searched *searched, const uint8_t *data, size_t length,
    size_t from, uint32_t *fill);

/*
 * Do the same if the marker may be anywhere: the threads search more and more data at once, in all at most a few times
 * as much as lies in front of the marker.
 */
size_t kst_jpeg_find_far_marker(struct pool *threads, const kst_searched *searched, const uint8_t *data, size_t length,
    size_t from, uint32_t *fill);

/* Parse the contents of one marker segment. */
kst_status kst_jpeg_parse_quant(struct jpeg_parser *parser, struct jpeg_segment_reader segment);
kst_status kst_jpeg_parse_huffman(struct jpeg_parser *parser, struct jpeg_segment_reader segment);
kst_status kst_jpeg_parse_restart_interval(struct jpeg_parser *parser, struct jpeg_segment_reader segment);
kst_status kst_jpeg_parse_frame(struct jpeg_parser *parser, uint8_t marker, struct jpeg_segment_reader segment);
kst_status kst_jpeg_parse_scan(struct jpeg_parser *parser, struct jpeg_segment_reader segment);

/*
 * Divide the entropy-coded data of the last scan, which start at parser->position, into the segments of the plan, and
 * move the position to the marker behind them.
 */
kst_status kst_jpeg_parse_segments(struct jpeg_parser *parser);

#endif
