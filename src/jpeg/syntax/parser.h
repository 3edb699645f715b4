/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the parser share. */
#ifndef KOSTKA_JPEG_SYNTAX_PARSER_H
#define KOSTKA_JPEG_SYNTAX_PARSER_H

#include "core/pool.h"
#include "core/report.h"
#include "jpeg/syntax/parse.h"

enum { NOT_IN_PLAN = -1 };

/* A destination for Huffman tables: what the last DHT put there. */
struct huffman_slot {
    struct jpeg_huffman table;
    bool defined;
    int index; /* in the plan, or NOT_IN_PLAN until a scan uses it */
};

struct parser {
    struct memory *memory;
    struct pool *threads; /* to look for the end of long data with; null: none */
    bool presuming;       /* rather than looking for it */
    const kst_limits *limits;
    kst_report *report;
    struct jpeg_stream *stream;
    const uint8_t *data;
    size_t length;
    size_t position; /* of the next byte to read */
    uint32_t markers;
    uint16_t quant[JPEG_TABLES][64];
    bool quant_defined[JPEG_TABLES];
    bool latched[JPEG_COMPONENTS];               /* the component's quantisation table is settled */
    struct huffman_slot huffman[2][JPEG_TABLES]; /* by class */
    uint32_t restart_interval;
    bool frame_seen;
    uint64_t frame_offset;
    uint32_t scan_capacity, segment_capacity, huffman_capacity, application_capacity;
};

/* The contents of a marker segment. */
struct segment_reader {
    const uint8_t *data;
    size_t length;
    size_t offset; /* in the stream, of data[0] */
};

/*
 * Make room for one more element in an array that grows in doublings.
 * Returns KST_OK, KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY, the latter two reported.
 */
kst_status kst_jpeg_parser_grow(struct parser *parser, void **array, uint32_t count, uint32_t *capacity, size_t size);

/*
 * Offset of the 0xFF before the next marker at or behind `from` (the last of several), or the stream's length. Raises
 * *fill (null allowed) to the longest run of bytes 0xFF on the way that a zero follows.
 */
size_t kst_jpeg_find_marker(const uint8_t *data, size_t length, size_t from, uint32_t *fill);

/* The same where it is likely to be the last one, close to the end of the data: many threads (null: none) look for it.
 */
size_t kst_jpeg_find_last_marker(struct pool *threads, const uint8_t *data, size_t length, size_t from, uint32_t *fill);

/* The same where it may be anywhere: threads look at more and more at once, in all at a few times what is before it. */
size_t kst_jpeg_find_far_marker(struct pool *threads, const uint8_t *data, size_t length, size_t from, uint32_t *fill);

/* Marker segments; the reader holds their contents. */
kst_status kst_jpeg_parse_quant(struct parser *parser, struct segment_reader segment);
kst_status kst_jpeg_parse_huffman(struct parser *parser, struct segment_reader segment);
kst_status kst_jpeg_parse_restart_interval(struct parser *parser, struct segment_reader segment);
kst_status kst_jpeg_parse_frame(struct parser *parser, uint8_t marker, struct segment_reader segment);
kst_status kst_jpeg_parse_scan(struct parser *parser, struct segment_reader segment);

/*
 * Cut the entropy-coded data of the last scan, which starts at parser->position, into the plan's segments and move the
 * position to the marker behind them.
 */
kst_status kst_jpeg_parse_segments(struct parser *parser);

#endif
