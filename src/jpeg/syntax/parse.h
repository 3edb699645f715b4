/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the bytes of a JPEG stream into a plan. All checks of its markers are made here. */
#ifndef KOSTKA_JPEG_SYNTAX_PARSE_H
#define KOSTKA_JPEG_SYNTAX_PARSE_H

#include "core/operation.h"
#include "jpeg/plan/plan.h"
#include "jpeg/syntax/metadata.h"

/* Holds the headers that say how samples are coded. */
struct jpeg_headers {
    bool has_jfif;
    struct jpeg_jfif jfif;
    bool has_adobe;
    uint8_t adobe_transform;
};

struct jpeg_stream {
    struct jpeg_plan plan;
    struct jpeg_headers headers;
    struct jpeg_marker_segment *application; /* APPn and COM segments */
    uint32_t application_count;
    uint64_t start; /* offset of SOI */
    uint64_t end;   /* offset at which parsing ended: behind EOI, if there is one */
    bool whole;     /* the stream ended with EOI */
    uint32_t markers;
    bool presumed; /* the end of the only scan's data is presumed, see kst_jpeg_parse_presuming() */
};

/*
 * Return the offset of SOI: at the beginning, or behind at most 16 fill bytes 0xFF (B.1.1.2). SIZE_MAX if the data are
 * not a JPEG stream.
 */
size_t kst_jpeg_find_start(const uint8_t *data, size_t length);

/*
 * Parse all markers of a stream up to EOI. The stream borrows `data`. The operation's threads search long data, and its
 * report counts warnings. On failure nothing is left allocated and the report holds the error.
 */
kst_status kst_jpeg_parse(const struct operation *op, const uint8_t *data, size_t length, struct jpeg_stream *stream);

/* Do the same with a stream of the lossless process, which kst_jpeg_parse() refuses. */
kst_status kst_jpeg_parse_lossless(
    const struct operation *op, const uint8_t *data, size_t length, struct jpeg_stream *stream);

/* Parse a stream with a DCT whose samples have 12 bits, which kst_jpeg_parse() refuses, with the same results. */
kst_status kst_jpeg_parse_deep(
    const struct operation *op, const uint8_t *data, size_t length, struct jpeg_stream *stream);

/* Holds a marker and the sample precision P behind it, 0 where that is cut off. */
struct jpeg_first_frame {
    uint8_t marker, precision;
};

/*
 * Return the first frame header; its contents have not been checked. Its marker is 0 if there is none in front of the
 * first scan, or none before many bytes that belong to no marker segment.
 */
struct jpeg_first_frame kst_jpeg_find_first_frame(const uint8_t *data, size_t length);

/*
 * Do the same as kst_jpeg_parse(), but do not search the data of a sequential scan without restart markers if the
 * stream ends with EOI. That EOI is then presumed to be the first marker behind the data, and `presumed` is set in the
 * stream until kst_jpeg_confirm() has checked it.
 */
kst_status kst_jpeg_parse_presuming(
    const struct operation *op, const uint8_t *data, size_t length, struct jpeg_stream *stream);

/*
 * Search the data that kst_jpeg_parse_presuming() left out. Returns true if the plan and the report are what
 * kst_jpeg_parse() would have made, and sets the scan's `fill`; false if nothing in them may be relied on.
 */
bool kst_jpeg_confirm(struct pool *threads, struct jpeg_stream *stream);

void kst_jpeg_stream_release(struct memory *memory, struct jpeg_stream *stream);

/*
 * Report to the caller's function (null: none) that the stream was searched from `*reported` to `to`, unless that is
 * little, and move `*reported` there.
 */
void kst_jpeg_report_searched(const kst_searched *searched, const uint8_t *data, size_t *reported, size_t to);

/*
 * Report the last of `length` bytes that are searched in parts, those from `reported` to `to`. Nothing is reported if
 * `length` is small.
 */
void kst_jpeg_report_part(const kst_searched *searched, const uint8_t *data, size_t reported, size_t to, size_t length);

#endif
